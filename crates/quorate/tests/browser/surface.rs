//! What players read holds nothing that only the machinery knows: those things are one click away.

use serde_json::{Value as Json, json};

use super::driver::{Reader, Width};
use super::server::Server;
use super::with_browser;

/// The names of what has no place on the surface, each with the words that gave it away. Code that somebody wrote is theirs.
const MACHINERY: &str = r"
    const codes = [...document.querySelectorAll('pre, code, textarea')];
    codes.forEach((one) => { one.style.display = 'none'; });
    const text = document.body.innerText;
    codes.forEach((one) => { one.style.display = ''; });
    const kinds = {
        'a raw term': /\{\w+\}/,
        'a digest': /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/,
        'an event number': /\b[Ee]vents? \d+|#\d+/,
        'a code name': /\b(?:entity|player|post|rule):[\w-]+/,
        'a thing that is gone': /no longer there/,
    };
    return Object.entries(kinds).flatMap(([kind, found]) => {
        const at = text.match(found);
        return at ? [`${kind}: …${text.slice(Math.max(0, at.index - 60), at.index + 60)}…`] : [];
    });";

/// The first of each kind of page of a game that the reader can come to: its own pages, an open post, a closed one.
const PAGES: &str = "
    const all = [...document.querySelectorAll('a[data-open]')];
    const posts = [all.find((one) => one.dataset.vote !== undefined), all.find((one) => one.dataset.vote === undefined)];
    const board = document.querySelector('nav a[href*=\"/board/\"]');
    return [...posts, board].filter(Boolean).map((one) => one.getAttribute('href'));";

fn texts(list: &Json) -> Vec<String> {
    let list = list.as_array().cloned().unwrap_or_default();
    list.iter()
        .filter_map(|one| one.as_str().map(str::to_owned))
        .collect()
}

/// What is found on the pages of a game.
async fn found(reader: &Reader, game: &str) -> Vec<String> {
    reader.open(game).await;
    let mut pages = texts(&reader.run(PAGES).await);
    pages.extend(["", "/act", "/tracker", "/desk"].map(|rest| format!("{game}{rest}")));
    let mut found = Vec::new();
    for page in pages {
        reader.open(&page).await;
        let wrong = texts(&reader.run(MACHINERY).await);
        found.extend(wrong.iter().map(|wrong| format!("{page}: {wrong}")));
    }
    found
}

#[test]
fn no_code_name_digest_or_event_number_stands_on_the_surface() {
    with_browser(async {
        let (server, [password, operator, _]) = Server::with_demo();
        let reader = Reader::sign_in(&server, &operator, &password, Width::Desk).await;
        reader.open("/").await;
        let games = "return [...document.querySelectorAll('#games h3 a')].map((one) => one.getAttribute('href'))";
        let games = texts(&reader.run(games).await);
        assert!(games.len() >= 5, "{games:?}");
        let mut wrong = Vec::new();
        for game in games {
            wrong.extend(found(&reader, &game).await);
        }
        assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
        // The log has the numbers: what this looks for can be found.
        reader.open("/g/arena-93/log/1").await;
        assert_ne!(reader.run(MACHINERY).await, json!([]));
        reader.close().await;
    });
}
