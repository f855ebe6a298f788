//! The live stream, and the document itself.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt;
use serde_json::{Value as Json, json};

use crate::Game;
use crate::table::ROOT;

/// The next event of a stream: its id and data. Comments that keep it alive are passed over.
async fn next(body: &mut axum::body::BodyDataStream) -> (u64, Json) {
    let mut text = String::new();
    loop {
        while let Some((block, rest)) = text.split_once("\n\n") {
            let field = |name: &str| {
                let found = block.lines().find_map(|line| line.strip_prefix(name));
                found.map(|value| value.trim().to_owned())
            };
            if let (Some(id), Some(data)) = (field("id:"), field("data:")) {
                assert_eq!(field("event:").as_deref(), Some("event"));
                return (id.parse().unwrap(), serde_json::from_str(&data).unwrap());
            }
            text = rest.to_owned();
        }
        let piece = body.next().await.unwrap().unwrap();
        text.push_str(std::str::from_utf8(&piece).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_tells_what_was_missed_and_what_happens_as_its_reader_may_know_it() {
    let game = Game::of_six().await;
    let request = Request::get(format!("{ROOT}/games/{}/stream", game.word))
        .header("last-event-id", "9")
        .body(Body::empty())
        .unwrap();
    let response = game.table.send(request).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body().into_data_stream();
    let (seq, asked) = next(&mut body).await;
    assert_eq!((seq, &asked["action"]), (10, &json!("apply-to-join")));
    let (seq, admitted) = next(&mut body).await;
    assert_eq!((seq, &admitted["action"]), (11, &json!("admit-player")));
    let text = json!({ "to": ["Bert"], "text": "secret" });
    game.act(&game.anna, "message", text).await;
    let (seq, message) = next(&mut body).await;
    assert_eq!((seq, &message["private"]), (12, &json!(true)));
    assert!(!message.to_string().contains("secret"));
    let shown = game.get("/events/12").gives(200).await;
    assert_eq!(message, shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_has_every_route_and_describes_each_once() {
    let game = Game::of_six().await;
    let document = &game.table.document;
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = BTreeSet::new();
    let paths = document["paths"].as_object().unwrap();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            let place = format!("{method} {path}");
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{place}: {id} is there twice");
            let about = operation["summary"]
                .as_str()
                .or(operation["description"].as_str());
            assert!(
                about.is_some_and(|text| !text.is_empty()),
                "{place} says nothing"
            );
            assert!(operation["responses"]["default"].is_object(), "{place}");
            assert_eq!(operation["tags"].as_array().unwrap().len(), 1, "{place}");
            let path = path
                .replace("{game}", &game.word)
                .replace("{post}", "1")
                .replace("{seq}", "1")
                .replace("{rule}", "fair-play")
                .replace("{thing}", "game")
                .replace("{name}", "dynasty");
            let request = Request::builder().method(method.to_uppercase().as_str());
            let answer = game
                .table
                .send(request.uri(path).body(Body::empty()).unwrap())
                .await;
            assert_ne!(
                answer.status().as_u16(),
                405,
                "{place} is described and not there"
            );
        }
    }
    let expected = [
        "account",
        "act",
        "answer",
        "comment",
        "dice",
        "drafts",
        "event",
        "events",
        "export",
        "found",
        "game",
        "games",
        "join",
        "make_post",
        "messages",
        "moves",
        "players",
        "post",
        "posts",
        "preview",
        "put_back",
        "remove",
        "rule",
        "rulebooks",
        "rules",
        "search",
        "send_message",
        "stream",
        "value",
        "values",
        "verify",
        "why",
    ];
    assert_eq!(ids, expected.map(str::to_owned).into());
}
