//! Pages that are kept for who asks for the same: each is what it would be if it were drawn anew.
//!
//! `QUORATE_COMPARISONS` says how many pages are compared while people do whatever chance says, `QUORATE_SEED` which game it is.

use std::io::Read as _;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_kernel::Span;
use quorate_server::security::session::SessionToken;
use serde_json::json;

use crate::Game;
use crate::generated::{CASES_OF_A_GAME, Chance, forms, said};
use crate::reader::{Got, ask, get};

/// How many pages are compared in random play where nothing is said.
const COMPARISONS: u64 = 250;

/// Pages that many readers share, and pages with forms of the reader's own.
const PAGES: &[&str] = &[
    "",
    "/rules",
    "/tracker",
    "/log",
    "/act",
    "/desk",
    "/post/12.0",
    "/players",
    "/players/2",
    "/messages",
    "/dynasties",
    "/charts",
    "/new",
    "/feed.atom",
    "/log/12",
    "/rules.txt",
];

/// How many seconds there are from one age of kept pages to the next, and one more.
const AGE: Span = Span(5_000);

impl Game {
    /// The number of the newest event; none where the game was taken off the site.
    async fn head(&self) -> Option<u64> {
        let game = self.word.parse().unwrap();
        let newest = self.table.site().deps.games.newest(&game).await;
        newest.ok().map(|seq| seq.0)
    }
}

/// A page without the tokens and keys of its forms, which are never the same twice.
fn plain(got: &Got) -> String {
    let text = got.text();
    let mut plain = String::with_capacity(text.len());
    let mut run = String::new();
    for letter in text.chars().chain(std::iter::once('\n')) {
        if letter.is_ascii_hexdigit() && !letter.is_ascii_uppercase() {
            run.push(letter);
            continue;
        }
        plain.push_str(if run.len() >= 24 { "…" } else { &run });
        run.clear();
        plain.push(letter);
    }
    plain
}

/// A page as a browser asks for it that reads such a coding, and read again.
async fn pressed(game: &Game, session: &SessionToken, path: &str, coding: &str) -> Got {
    let request = Request::get(path).header(header::ACCEPT_ENCODING, coding);
    let mut got = ask(game, session, request.body(Body::empty()).unwrap()).await;
    if got.is_coded(coding) {
        got.body = unpressed(&got.body, coding);
    }
    got
}

fn unpressed(body: &[u8], coding: &str) -> Vec<u8> {
    let mut text = Vec::new();
    match coding {
        "br" => brotli::Decompressor::new(body, 4_096).read_to_end(&mut text),
        _ => flate2::read::GzDecoder::new(body).read_to_end(&mut text),
    }
    .unwrap();
    text
}

/// Compares all pages for all readers.
async fn compare(game: &Game, readers: &[(&str, SessionToken)], after: &str) {
    for (who, session) in readers {
        for page in PAGES {
            compare_page(game, session, page, &format!("for {who} after {after}")).await;
        }
    }
}

/// Asks for a page as it may have been kept, once more, twice in each coding, and drawn anew.
async fn compare_page(game: &Game, session: &SessionToken, page: &str, place: &str) {
    let path = format!("/g/{}{page}", game.word);
    let (seen, anew) = loop {
        // What a reader opens is not new to them from then on, and pages say so.
        get(game, session, &path).await;
        let head = game.head().await;
        let seen = [
            ("as it was kept before", get(game, session, &path).await),
            ("kept", get(game, session, &path).await),
            ("brotli", pressed(game, session, &path, "br").await),
            ("kept as brotli", pressed(game, session, &path, "br").await),
            ("gzip", pressed(game, session, &path, "gzip").await),
            ("kept as gzip", pressed(game, session, &path, "gzip").await),
        ];
        game.table.site().pages.clear();
        game.table.site().law_answers.clear();
        let anew = get(game, session, &path).await;
        // What fell due meanwhile makes another page.
        if game.head().await == head {
            break (seen, anew);
        }
    };
    for (how, got) in seen {
        assert_eq!(got.status, anew.status, "{page} {place}, {how}");
        assert_eq!(plain(&got), plain(&anew), "{page} {place}, {how}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_pages_are_as_if_drawn_anew_whatever_people_do() {
    let wanted = said("QUORATE_COMPARISONS").unwrap_or(COMPARISONS);
    let seed = said("QUORATE_SEED").unwrap_or(1);
    let (mut done, mut case, mut is_taken) = (0, 0, false);
    while done < wanted {
        let game = Game::with_lockets().await;
        game.table.token("Olga", true).await;
        let proposal = json!({ "category": "Proposal", "title": "Lamps", "body": "Two of them." });
        let made = game.post("/posts", &proposal).by(&game.anna);
        let post = made.gives(201).await["post"].as_str().unwrap().to_owned();
        let begun = game.head().await;
        loop {
            forms::run(&game, &post, seed, case).await;
            let mut chance = Chance::of(seed ^ 0x5EED, case);
            case += 1;
            if game.head().await.is_none() {
                break;
            }
            for who in ["Anna", "Bert", "Fay", "Olga", "a stranger"] {
                let session = game.table.session_if_any(who).await;
                let session = session.unwrap_or_else(|| SessionToken::fresh().unwrap());
                let page = chance.of_list(PAGES);
                let place = format!("for {who}, seed {seed}, after form {case}");
                compare_page(&game, &session, page, &place).await;
                done += 1;
            }
            if done >= wanted || case.is_multiple_of(CASES_OF_A_GAME) {
                break;
            }
        }
        let ended = game.head().await;
        is_taken |= ended.is_none() || ended > begun;
    }
    // The last game may end after a form or two, which may be refused.
    assert!(is_taken, "nothing that was sent was taken");
}

/// The tokens of a page's forms.
fn tokens(page: &str) -> Vec<String> {
    let after = page.split(r#"name="csrf" value=""#).skip(1);
    let before = after.filter_map(|rest| rest.split('"').next());
    before.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_page_is_what_it_would_be_if_it_were_drawn_anew() {
    let game = Game::with_lockets().await;
    game.table.token("Olga", true).await;
    let mut readers = Vec::new();
    for name in ["Anna", "Bert", "Olga"] {
        readers.push((name, game.table.session(name).await));
    }
    readers.push(("a stranger", SessionToken::fresh().unwrap()));
    compare(&game, &readers, "the enactment").await;
    game.act(&game.bert, "open-locket", json!({})).await;
    compare(&game, &readers, "a question").await;
    let proposal = json!({ "category": "Proposal", "title": "More", "body": "More gems." });
    let made = game
        .post("/posts", &proposal)
        .by(&game.bert)
        .gives(201)
        .await;
    compare(&game, &readers, "a proposal").await;
    let comments = format!("/posts/{}/comments", made["post"].as_str().unwrap());
    let vote = json!({ "vote": "for", "text": "Yes." });
    game.post(&comments, &vote).by(&game.anna).gives(201).await;
    compare(&game, &readers, "a vote").await;
    let again = json!({ "vote": "against", "text": "No." });
    game.post(&comments, &again).by(&game.anna).gives(201).await;
    compare(&game, &readers, "another vote").await;
    let keep = json!({ "question": "open:open-locket", "value": "keep" });
    let kept = game.act(&game.bert, "answer", keep).await;
    compare(&game, &readers, "an answer").await;
    let undo = json!({ "event": kept["event"]["seq"], "reason": "not so" });
    game.act(&game.bert, "undo", undo).await;
    compare(&game, &readers, "an undoing").await;
    let change = json!({ "do": "set_value", "thing": "Bert", "name": "gems", "value": 5 });
    let claim = json!({ "rule": "lockets", "reason": "found", "changes": [change] });
    game.act(&game.anna, "claim", claim).await;
    compare(&game, &readers, "a claim").await;
    game.act(&game.anna, "dice", json!({ "line": "DICE6" }))
        .await;
    compare(&game, &readers, "dice").await;
    let entry = json!({ "category": "Entry", "title": "Aside", "body": "Never mind." });
    let made = game.post("/posts", &entry).by(&game.bert).gives(201).await;
    let withdrawn = json!({ "post": made["post"] });
    game.act(&game.bert, "withdraw", withdrawn).await;
    compare(&game, &readers, "a withdrawal").await;
    let letter = json!({ "to": ["Bert"], "text": "Vote!" });
    game.post("/messages", &letter)
        .by(&game.anna)
        .gives(201)
        .await;
    compare(&game, &readers, "a message").await;
    game.table.pass(Span::hours(30));
    compare(&game, &readers, "a day").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_of_a_kept_page_carry_the_tokens_of_whoever_asks() {
    let game = Game::of_six().await;
    let (one, other) = (
        game.table.session("Bert").await,
        game.table.session("Bert").await,
    );
    let path = format!("/g/{}/act", game.word);
    for coding in ["identity", "gzip", "br"] {
        let first = pressed(&game, &one, &path, coding).await.text();
        let weight = game.table.site().pages.weight();
        let second = pressed(&game, &other, &path, coding).await.text();
        assert_eq!(
            game.table.site().pages.weight(),
            weight,
            "{coding}: drawn for each of them"
        );
        let (first, second) = (tokens(&first), tokens(&second));
        assert!(
            !first.is_empty() && first.len() == second.len(),
            "{coding}: {first:?} {second:?}"
        );
        assert!(
            first.iter().all(|token| !second.contains(token)),
            "{coding}: {first:?} {second:?}"
        );
        let roll = async |session: &SessionToken, token: &str| {
            let body = format!("csrf={token}&dice=DICE6");
            let request = Request::post(format!("/g/{}/roll", game.word))
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(Body::from(body));
            ask(&game, session, request.unwrap()).await.status
        };
        let own = roll(&other, &second[0]).await;
        let foreign = roll(&other, &first[0]).await;
        assert_eq!(foreign, StatusCode::FORBIDDEN, "a token of another session");
        assert_ne!(own, StatusCode::FORBIDDEN, "the token that was laid in");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_somebodys_own_is_kept_in_the_coding_that_they_take_alone() {
    let game = Game::of_six().await;
    let bert = game.table.session("Bert").await;
    let path = format!("/g/{}/rules", game.word);
    let pages = &game.table.site().pages;
    pages.clear();
    let page = pressed(&game, &bert, &path, "br").await;
    let weight = usize::try_from(pages.weight()).unwrap();
    assert!(
        weight > 0 && weight < page.body.len() / 2,
        "{weight} bytes are kept of a page of {}",
        page.body.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_just_done_is_told_with_a_kept_page_to_whom_it_was_said() {
    let game = Game::of_six().await;
    let bert = game.table.session("Bert").await;
    let path = format!("/g/{}", game.word);
    let told = async |done: &str| {
        let cookie = format!("{}; done={done}", game.table.cookie(&bert));
        let request = Request::get(&path).header(header::COOKIE, cookie);
        let response = game.table.send(request.body(Body::empty()).unwrap()).await;
        let forgets = response.headers().get_all(header::SET_COOKIE).iter();
        let forgets = forgets.filter(|cookie| cookie.to_str().unwrap().starts_with("done=;"));
        assert_eq!(forgets.count(), usize::from(!done.is_empty()), "{done}");
        let body = to_bytes(response.into_body(), 1 << 22).await.unwrap();
        String::from_utf8(body.to_vec()).unwrap()
    };
    // What a reader opens is not new to them from then on.
    told("").await;
    let first = told("Pickled").await;
    let weight = game.table.site().pages.weight();
    let again = told("Pickled").await;
    assert_eq!(game.table.site().pages.weight(), weight, "it was kept");
    let (other, none) = (told("Salted").await, told("").await);
    assert!(first.contains("Pickled") && again.contains("Pickled"));
    assert!(other.contains("Salted") && !other.contains("Pickled"));
    assert!(!none.contains("Salted") && !none.contains("Pickled"));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_the_page_already_is_told_so_until_something_happens() {
    let game = Game::of_six().await;
    let path = format!("/g/{}/rules", game.word);
    let anna = game.table.session("Anna").await;
    let first = get(&game, &anna, &path).await;
    let tag = first.header("etag").to_owned();
    let again = async |tag: &str| {
        let request = Request::get(&path).header(header::IF_NONE_MATCH, tag);
        ask(&game, &anna, request.body(Body::empty()).unwrap()).await
    };
    let known = again(&tag).await;
    assert_eq!(known.status, StatusCode::NOT_MODIFIED);
    assert!(known.body.is_empty());
    assert_eq!(known.header("etag"), tag);
    assert_eq!(again("\"another\"").await.status, StatusCode::OK);
    game.table.pass(AGE);
    assert_eq!(
        again(&tag).await.status,
        StatusCode::OK,
        "the page tells the time"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_new_gets_a_session_of_their_own_with_a_kept_page() {
    let game = Game::of_six().await;
    let come = async || {
        let request = Request::get(format!("/g/{}", game.word)).body(Body::empty());
        let response = game.table.send(request.unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let cookie = response.headers().get(header::SET_COOKIE).cloned().unwrap();
        let body = to_bytes(response.into_body(), 1 << 22).await.unwrap();
        (cookie, body)
    };
    let ((first, page), (second, same)) = (come().await, come().await);
    assert_ne!(first, second);
    assert_eq!(page, same);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_pressed_for_the_codings_that_its_reader_takes() {
    let game = Game::of_six().await;
    let anna = game.table.session("Anna").await;
    let path = format!("/g/{}/rules", game.word);
    let mut sizes = Vec::new();
    for coding in ["gzip", "br", "gzip", "br", "identity"] {
        let request = Request::get(&path).header(header::ACCEPT_ENCODING, coding);
        let got = ask(&game, &anna, request.body(Body::empty()).unwrap()).await;
        if coding != "identity" {
            assert_eq!(got.header("content-encoding"), coding);
        }
        assert!(got.header("vary").contains("accept-encoding"), "{coding}");
        sizes.push(got.body.len());
    }
    assert_eq!(sizes[..2], sizes[2..4]);
    assert!(sizes[0] < sizes[4] && sizes[1] < sizes[0], "{sizes:?}");
}
