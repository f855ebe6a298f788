//! What people do, in a real browser: the real binary over a real data folder, pages in headless Chromium by `WebDriver`.
//!
//! Without `QUORATE_BROWSER` in the environment these tests say that they looked at nothing; `cargo xtask test` sets it
//! where a browser is there or can be had.

#[path = "browser/away.rs"]
mod away;
#[path = "browser/axe.rs"]
mod axe;
#[path = "browser/beside.rs"]
mod beside;
#[path = "browser/driver.rs"]
mod driver;
#[path = "browser/play.rs"]
mod play;
#[path = "browser/server.rs"]
mod server;
#[path = "browser/stories.rs"]
mod stories;
#[path = "browser/surface.rs"]
mod surface;
#[path = "browser/walk.rs"]
mod walk;

use driver::{Reader, Width};
use server::Server;

/// Keeps the next answer that the page asks for until a newer one would have been there, and says so.
const HOLDS_THE_NEXT: &str = "const real = window.fetch;
    window.fetch = async (...asked) => {
        window.fetch = real;
        const answer = await real(...asked);
        await new Promise((done) => setTimeout(done, 5000));
        setTimeout(() => { document.getElementById('said').textContent = 'held'; }, 1000);
        return answer;
    };";

/// Runs a test where there is a browser.
fn with_browser(test: impl Future<Output = ()>) {
    if std::env::var_os("QUORATE_BROWSER").is_none() {
        eprintln!("no browser was asked for: nothing was looked at");
        return;
    }
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(test);
}

/// A game of the zombie town with Anna, its founder and admin, and Bert.
async fn town(server: &Server, bert: Width) -> (Reader, Reader) {
    let anna = Reader::sign_up(server, "Anna", Width::Desk).await;
    anna.found("hordes-22", "Night Town").await;
    let bert = Reader::sign_up(server, "Bert", bert).await;
    bert.join("night-town", "Bert").await;
    anna.admit("night-town", "Bert").await;
    (anna, bert)
}

/// The same, with both of them at their windows.
fn in_town(bert: Width, play: impl AsyncFnOnce(&Reader, &Reader)) {
    with_browser(async {
        let server = Server::start();
        let (anna, bert) = town(&server, bert).await;
        play(&anna, &bert).await;
        anna.close().await;
        bert.close().await;
    });
}

#[test]
fn a_game_is_founded_joined_and_its_rules_are_changed_by_a_vote() {
    in_town(Width::Phone, async |anna, bert| {
        let post = bert
            .propose(
                "night-town",
                "More lamps",
                "It is dark.",
                "1. Every street has a lamp.",
            )
            .await;
        bert.sees("More lamps").await;
        anna.vote(&post, "for").await;
        anna.sees("Your vote is in: FOR").await;
        anna.press_offer(&post, "Enact").await;
        anna.open(&post).await;
        anna.sees("Enacted").await;
        bert.open("/g/night-town/rules").await;
        bert.sees("Every street has a lamp.").await;
    });
}

#[test]
fn a_vote_is_changed_and_the_other_reader_sees_it_without_asking() {
    in_town(Width::Desk, async |anna, bert| {
        let post = anna
            .propose(
                "night-town",
                "A bell",
                "It is quiet.",
                "1. There is a bell.",
            )
            .await;
        anna.open(&post).await;
        bert.vote(&post, "for").await;
        anna.comes_to_see("#comments", "Bert").await;
        // An older answer that comes late doesn't stay.
        anna.run(HOLDS_THE_NEXT).await;
        bert.vote(&post, "against").await;
        bert.sees("was FOR").await;
        bert.vote(&post, "for").await;
        bert.sees("was AGAINST").await;
        anna.comes_to_see("#said", "held").await;
        anna.comes_to_see("#each", "was AGAINST").await;
    });
}

#[test]
fn a_draft_outlives_a_page_that_was_left() {
    with_browser(async {
        let server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Desk).await;
        anna.found("hordes-22", "Night Town").await;
        let field = "textarea[name=body]";
        anna.open("/g/night-town/new/Proposal").await;
        anna.fill(field, "Words that must not be lost.").await;
        anna.comes_to_see("[data-saved]", "Draft kept").await;
        anna.open("/g/night-town").await;
        anna.open("/g/night-town/new/Proposal").await;
        anna.comes_to_hold(field, "Words that must not be lost.")
            .await;
        anna.close().await;
    });
}

#[test]
fn nothing_of_a_page_is_wider_than_a_phone() {
    with_browser(async {
        let server = Server::start();
        let anna = Reader::sign_up(&server, "Anna", Width::Phone).await;
        anna.found("arena-93", "The Sands").await;
        for page in [
            "",
            "/rules",
            "/tracker",
            "/act",
            "/players",
            "/log",
            "/desk",
            "/new",
            "/new/Proposal",
            "/dynasties",
        ] {
            let page = format!("/g/the-sands{page}");
            anna.open(&page).await;
            assert!(anna.fits().await, "{page} is wider than its window");
        }
        anna.close().await;
    });
}
