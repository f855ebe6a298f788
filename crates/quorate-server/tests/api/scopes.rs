//! What a token does not name it may not do, and what it names it may.

use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::{Value as Json, json};

use crate::Game;
use crate::table::{ANSWER_BYTES, Call};

const ALL: [&str; 4] = ["vote", "post", "act", "admin"];

/// Each way to write, by the scope that it takes.
fn writes<'a>(game: &'a Game, post: &str) -> Vec<(&'static str, &'static str, Call<'a>)> {
    let act = |action: &str, arguments: Json| {
        game.post(
            "/acts",
            &json!({ "action": action, "arguments": arguments }),
        )
    };
    let of_post = json!({ "proposal": format!("post:{post}") });
    let comment = format!("/posts/{post}/comments");
    let words = json!({ "category": "Story Post", "title": "A day", "body": "Rain." });
    let letter = json!({ "to": ["Bert"], "text": "Hello" });
    vec![
        (
            "vote",
            "comment",
            game.post(&comment, &json!({ "text": "Yes." })),
        ),
        (
            "vote",
            "vote",
            act("vote", json!({ "post": post, "icon": "for" })),
        ),
        ("post", "posts", game.post("/posts", &words)),
        (
            "post",
            "edit",
            act("edit", json!({ "post": post, "title": "Mine" })),
        ),
        ("post", "withdraw", act("withdraw", json!({ "post": post }))),
        ("post", "messages", game.post("/messages", &letter)),
        (
            "act",
            "dice",
            game.post("/dice", &json!({ "line": "DICE6" })),
        ),
        ("act", "an action of everybody", act("heal", json!({}))),
        (
            "act",
            "claim",
            act(
                "claim",
                json!({ "rule": "fair-play", "reason": "so", "changes": [] }),
            ),
        ),
        (
            "act",
            "undo",
            act("undo", json!({ "event": 2, "reason": "so" })),
        ),
        (
            "act",
            "join",
            game.post("/join", &json!({ "text": "Again." })),
        ),
        ("act", "leave", act("leave", json!({ "text": "Bye." }))),
        (
            "admin",
            "an action of admins",
            act("enact-proposal", of_post),
        ),
        (
            "admin",
            "wake",
            act("wake", json!({ "rule": "fair-play", "fence": 1 })),
        ),
        (
            "admin",
            "found",
            game.table
                .post("/games", &json!({ "rulebook": "adventurers-2019" })),
        ),
    ]
}

fn is_scope(answer: &Json) -> bool {
    answer["type"] == "urn:quorate:problem:scope"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_may_do_what_it_names_and_nothing_else() {
    let game = Game::of_six().await;
    let new = json!({ "category": "Proposal", "title": "Mine", "body": "So." });
    let made = game.post("/posts", &new).by(&game.anna).gives(201).await;
    let post = made["post"].as_str().unwrap().to_owned();
    let count = writes(&game, &post).len();
    let mut seen = BTreeSet::new();
    for nth in 0..count {
        let (scope, what, call) = writes(&game, &post).remove(nth);
        seen.insert(scope);
        let others: Vec<&str> = ALL.into_iter().filter(|other| *other != scope).collect();
        let without = game.table.token_for("Anna", &others.join(" "), None).await;
        let answer = call.by(&without).answer().await;
        assert_eq!(
            answer.status,
            StatusCode::FORBIDDEN,
            "{what}: {}",
            answer.body
        );
        assert!(is_scope(&answer.body), "{what}: {}", answer.body);
        assert_eq!(answer.body["scope"], scope, "{what}");
        let told = answer.headers.get(header::WWW_AUTHENTICATE).unwrap();
        let named = format!("error=\"insufficient_scope\", scope=\"{scope}\"");
        assert!(told.to_str().unwrap().contains(&named), "{told:?}");
        let with = game.table.token_for("Anna", scope, None).await;
        let (_, _, call) = writes(&game, &post).remove(nth);
        let answer = call.by(&with).answer().await;
        // The law may say no; the token does not.
        assert!(!is_scope(&answer.body), "{what}: {}", answer.body);
    }
    assert_eq!(seen.len(), ALL.len(), "each scope is tried");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_scopes_reads_what_its_account_sees() {
    let game = Game::of_six().await;
    let token = game.table.token_for("Anna", "", None).await;
    for path in ["", "/moves", "/messages", "/posts", "/values", "/events"] {
        game.get(path).by(&token).gives(200).await;
    }
    let why = json!({ "action": "heal", "arguments": {} });
    game.post("/why", &why).by(&token).gives(200).await;
    let account = game.table.get("/account").by(&token).gives(200).await;
    assert_eq!(account["scopes"], json!([]));
    let whole = game.table.get("/account").by(&game.anna).gives(200).await;
    assert_eq!(whole["scopes"], json!(ALL));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_token_for_admin_acts_exports_a_game() {
    let game = Game::of_six().await;
    let olga = game.table.token("Olga", true).await;
    game.get("/export").by(&olga).gives(200).await;
    let reader = game.table.token_for("Olga", "vote post act", None).await;
    let answer = game.get("/export").by(&reader).gives(403).await;
    assert_eq!(answer["scope"], "admin");
    let repair = json!({ "action": "repair", "arguments": { "reason": "so", "changes": [] } });
    let answer = game.post("/acts", &repair).by(&reader).gives(403).await;
    assert_eq!(answer["scope"], "admin");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_one_game_knows_no_other() {
    let game = Game::of_six().await;
    let new = json!({ "rulebook": "adventurers-2019", "title": "The Reef" });
    let other = game
        .table
        .post("/games", &new)
        .by(&game.anna)
        .gives(201)
        .await;
    let other = other["game"].as_str().unwrap().to_owned();
    let token = game
        .table
        .token_for("Anna", "vote post act admin", Some(&game.word))
        .await;
    game.get("/moves").by(&token).gives(200).await;
    for path in ["", "/moves", "/messages", "/events"] {
        let path = format!("/games/{other}{path}");
        let answer = game.table.get(&path).by(&token).gives(403).await;
        assert!(is_scope(&answer), "{answer}");
        let told = answer["detail"].as_str().unwrap();
        assert!(told.contains(&game.word), "{told}");
    }
    let dice = json!({ "line": "DICE6" });
    game.post("/dice", &dice).by(&token).gives(201).await;
    let path = format!("/games/{other}/dice");
    game.table.post(&path, &dice).by(&token).gives(403).await;
    game.table.post("/games", &new).by(&token).gives(403).await;
    let list = game.table.get("/games").by(&token).gives(200).await;
    let words: Vec<&Json> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["game"])
        .collect();
    assert_eq!(words, [&json!(game.word)]);
    let account = game.table.get("/account").by(&token).gives(200).await;
    assert_eq!(account["game"], json!(game.word));
    assert_eq!(account["seats"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_take_no_token_whatever_it_names() {
    let game = Game::of_six().await;
    for (path, status) in [
        ("/settings".to_owned(), StatusCode::UNAUTHORIZED),
        ("/notices".to_owned(), StatusCode::UNAUTHORIZED),
        (format!("/g/{}/act", game.word), StatusCode::UNAUTHORIZED),
    ] {
        let request = Request::get(&path)
            .header(header::AUTHORIZATION, format!("Bearer {}", game.anna))
            .body(Body::empty())
            .unwrap();
        assert_eq!(game.table.send(request).await.status(), status, "{path}");
    }
    let request = Request::post(format!("/g/{}/roll", game.word))
        .header(header::AUTHORIZATION, format!("Bearer {}", game.anna))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from("line=DICE6"))
        .unwrap();
    assert_eq!(
        game.table.send(request).await.status(),
        StatusCode::FORBIDDEN
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_makes_the_token_that_it_was_filled_in_for() {
    let game = Game::of_six().await;
    let session = game.table.session("Anna").await;
    let cookie = game.table.cookie(&session);
    let send = async |form: String| {
        let csrf = game.table.site().csrf.issue(&session).unwrap();
        let request = Request::post("/settings/token")
            .header(header::COOKIE, &cookie)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(format!("csrf={csrf}&{form}")))
            .unwrap();
        let response = game.table.send(request).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
        (status, String::from_utf8_lossy(&bytes).into_owned())
    };
    let form = format!(
        "label=voter&scopes=vote&scopes=act&game={}&days=30",
        game.word
    );
    let (status, page) = send(form).await;
    assert_eq!(status, StatusCode::OK, "{page}");
    let told = format!("may read, vote, act, in {} alone", game.word);
    assert!(page.contains(&told), "{page}");
    let token = page.split("<code>q_").nth(1).unwrap();
    let token = format!("q_{}", token.split('<').next().unwrap());
    let account = game.table.get("/account").by(&token).gives(200).await;
    assert_eq!(account["scopes"], json!(["vote", "act"]));
    let (_, page) = send("label=reader".to_owned()).await;
    assert!(page.contains("may only read"), "{page}");
    for form in ["scopes=everything", "game=elsewhere", "days=31"] {
        let (status, page) = send(format!("label=odd&{form}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{form}: {page}");
    }
}
