//! What each reader may see and do: every address of the site and of the API, asked as everybody.

mod forget;
mod matrix;
mod notices;
mod readers;
mod routes;
mod safe;
mod walk;
mod world;

use quorate_server::security::carried::digest_of;
use readers::{Got, Reader, Role};
use world::{Ball, THESE, THOSE, everybody};

/// Headers that say how long an answer is, when it was made or for whom, to which request, and no more.
const OF_TRANSPORT: [&str; 5] = [
    "content-length",
    "date",
    "set-cookie",
    "etag",
    "x-request-id",
];

/// An answer without what differs between any two requests: secrets of forms, keys, hashes.
fn plain(got: &Got) -> String {
    let mut text = format!("{}\n", got.status);
    for (name, value) in &got.headers {
        if !OF_TRANSPORT.contains(&name.as_str()) {
            text.push_str(&format!("{name}: {}\n", value.to_str().unwrap_or("?")));
        }
    }
    text.push('\n');
    let mut run = String::new();
    for letter in got.body.chars().chain(['\n']) {
        if letter.is_ascii_hexdigit() {
            run.push(letter);
            continue;
        }
        // Shorter ones are words and numbers of the game.
        text.push_str(if run.len() >= 16 { "#" } else { &run });
        run.clear();
        text.push(letter);
    }
    text
}

/// Where two texts part, with a little of what stands around it.
fn parting(one: &str, other: &str) -> String {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let from = same.count().saturating_sub(120);
    let around = |text: &str| -> String { text.chars().skip(from).take(240).collect() };
    format!("--- one\n{}\n--- other\n{}", around(one), around(other))
}

/// What opens an account, or the mark by which the server knows it.
struct Key {
    word: String,
    what: String,
    /// Who alone may read it, and in their settings alone; nobody for what was shown once.
    owner: Option<&'static str>,
}

/// The tokens of everybody, and the digests by which their owners revoke them.
fn keys(ball: &Ball) -> Vec<Key> {
    let mut keys = Vec::new();
    for (name, token) in everybody().zip(&ball.tokens) {
        keys.push(Key {
            word: token.clone(),
            what: format!("the token of {name}"),
            owner: None,
        });
        keys.push(Key {
            word: digest_of(token).to_string(),
            what: format!("the digest of the token of {name}"),
            owner: Some(name),
        });
    }
    keys
}

/// What of one game tells that its secrets are not those of the other.
async fn telling(these: &Ball, those: &Ball) -> Vec<String> {
    let routes = routes::all(&these.table.document);
    let (one, other) = (
        walk::walk(these, &routes).await,
        walk::walk(those, &routes).await,
    );
    assert!(one.len() > 1_000, "only {} answers", one.len());
    let mut told = Vec::new();
    let keys = keys(these);
    for ((address, role), got) in &one {
        let shown = keys
            .iter()
            .filter(|key| got.body.contains(key.word.as_str()));
        let is_own = |key: &&Key| {
            key.owner.is_some() && key.owner == role.name() && address.starts_with("/settings")
        };
        let shown: Vec<_> = shown.filter(|key| !is_own(key)).collect();
        if let Some(key) = shown.first() {
            told.push(format!("{role:?} {address} tells {}", key.what));
        }
        // The whole log is the operator's to keep.
        let is_file = address.ends_with("/export") || address.starts_with("/operator/backup/");
        // And what they did, in the order in which it was asked.
        if *role == Role::Operator && (is_file || address == "/operator/security") {
            continue;
        }
        let Some(twin) = other.get(&(address.clone(), *role)) else {
            told.push(format!("{role:?} {address}: linked in one game alone"));
            continue;
        };
        let (got, twin) = (plain(got), plain(twin));
        if got != twin {
            told.push(format!("{role:?} {address}\n{}", parting(&got, &twin)));
        }
        let is_asked = |marker: &String| address.contains(marker.split(' ').next().unwrap());
        for marker in THESE.markers().iter().filter(|marker| !is_asked(marker)) {
            if got.contains(marker) {
                told.push(format!("{role:?} {address} tells {marker}"));
            }
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_not_know_the_secrets_cannot_tell_two_games_apart() {
    let (these, those) = (Ball::with(THESE).await, Ball::with(THOSE).await);
    let told = telling(&these, &those).await;
    assert!(told.is_empty(), "{}\n\n{}", told.len(), told.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_stay_secret_where_the_rule_that_hid_them_is_gone() {
    let (mut these, mut those) = (Ball::with(THESE).await, Ball::with(THOSE).await);
    these.unmask().await;
    those.unmask().await;
    let told = telling(&these, &those).await;
    assert!(told.is_empty(), "{}\n\n{}", told.len(), told.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_the_secrets_are_sees_them() {
    let ball = Ball::with(THESE).await;
    let bert = Reader::of(&ball, Role::Keeper).await;
    let game = format!("/g/{}", world::GAME);
    let spy = format!("/post/{}/effects", ball.posts[2]);
    for (page, word) in [
        ("/act", "damsonmarker"),
        ("/messages", "quincemarker"),
        ("/act", "medlar"),
        // What code among the changes would find, it finds for whoever may see it.
        (spy.as_str(), "910333"),
    ] {
        let got = bert.get(&format!("{game}{page}")).await;
        assert!(got.body.contains(word), "{page}: {word}\n{}", got.body);
    }
    let api = format!("/api/v1/games/{}", world::GAME);
    let values = bert.get(&format!("{api}/values")).await;
    assert!(values.body.contains("910333"), "{}", values.body);
    // The export is the whole log, and the operator's alone; so is the backup that their panel leads to.
    let olga = Reader::of(&ball, Role::Operator).await;
    assert!(olga.get(&format!("{api}/export")).await.status.is_success());
}
