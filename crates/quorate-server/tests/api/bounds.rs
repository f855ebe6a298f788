//! What is not taken: commands sent twice, callers who may not, requests that do not fit.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use quorate_kernel::Span;
use serde_json::{Value as Json, json};

use crate::Game;
use crate::table::ROOT;

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_is_the_same_command() {
    let game = Game::of_six().await;
    let line = json!({ "line": "For luck: 3DICE6" });
    let first = game
        .post("/dice", &line)
        .by(&game.bert)
        .key("roll-1")
        .gives(201)
        .await;
    assert_eq!(first["replayed"], false);
    assert_eq!(first["event"]["dice"].as_array().unwrap().len(), 3);
    let second = game
        .post("/dice", &line)
        .by(&game.bert)
        .key("roll-1")
        .gives(200)
        .await;
    assert_eq!(second["replayed"], true);
    assert_eq!(second["event"], first["event"]);
    let other = game
        .post("/dice", &line)
        .by(&game.anna)
        .key("roll-1")
        .gives(201)
        .await;
    assert_ne!(
        other["event"]["seq"], first["event"]["seq"],
        "a key is its sender's"
    );
    let wish = json!({ "action": "message", "arguments": { "to": ["Anna"], "text": "hello" } });
    let used = game
        .post("/acts", &wish)
        .by(&game.bert)
        .key("roll-1")
        .gives(422)
        .await;
    assert_eq!(used["type"], "urn:quorate:problem:key-used");
    assert_eq!(used["event"], first["event"]["seq"]);

    let gwen = game.table.token("Gwen", false).await;
    let asked = game
        .post("/join", &json!({}))
        .by(&gwen)
        .key("me")
        .gives(201)
        .await;
    let again = game
        .post("/join", &json!({}))
        .by(&gwen)
        .key("me")
        .gives(200)
        .await;
    assert_eq!(again["you"], asked["you"]);
    let hugo = game.table.token("Hugo", false).await;
    let other = game
        .post("/join", &json!({}))
        .by(&hugo)
        .key("me")
        .gives(201)
        .await;
    assert_ne!(
        other["you"], asked["you"],
        "nobody takes another's seat with a key"
    );

    let new = json!({ "rulebook": "adventurers-2019" });
    let one = game
        .table
        .post("/games", &new)
        .by(&gwen)
        .key("g")
        .gives(201)
        .await;
    let same = game
        .table
        .post("/games", &new)
        .by(&gwen)
        .key("g")
        .gives(201)
        .await;
    assert_eq!(one, same);
    let two = game
        .table
        .post("/games", &new)
        .by(&hugo)
        .key("g")
        .gives(201)
        .await;
    assert_ne!(one["game"], two["game"]);
    let games = game.table.get("/games").by(&gwen).gives(200).await;
    assert_eq!(games.as_array().unwrap().len(), 3);
    let account = game.table.get("/account").by(&gwen).gives(200).await;
    assert_eq!(account["seats"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_token_that_counts_authenticates() {
    let game = Game::of_six().await;
    let line = json!({ "line": "DICE6" });
    let refused = game.post("/dice", &line).answer().await;
    assert_eq!(refused.status.as_u16(), 401);
    assert!(refused.headers.contains_key("www-authenticate"));
    assert_eq!(refused.body["type"], "urn:quorate:problem:sign-in");
    let cookie = format!("session={}; __Host-session={}", game.bert, game.bert);
    game.post("/dice", &line)
        .with("cookie", &cookie)
        .gives(401)
        .await;
    game.post("/dice", &line).by("q_nobody").gives(401).await;
    game.get("").by("q_nobody").gives(401).await;
    game.get("")
        .with("authorization", "Basic abc")
        .gives(401)
        .await;
    let gwen = game.table.token("Gwen", false).await;
    let stranger = game.post("/dice", &line).by(&gwen).gives(403).await;
    assert_eq!(stranger["type"], "urn:quorate:problem:forbidden");
    game.get("/export").by(&game.anna).gives(403).await;
    let mend = json!({ "action": "repair", "arguments": { "reason": "mine" } });
    game.post("/acts", &mend).by(&game.anna).gives(403).await;
    game.table.revoke(&game.bert).await;
    game.post("/dice", &line).by(&game.bert).gives(401).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_player_and_an_applicant_are_refused_by_the_law() {
    let game = Game::of_six().await;
    game.act(&game.bert, "request-idle", json!({})).await;
    game.act(&game.anna, "idle-on-request", json!({ "target": "Bert" }))
        .await;
    let people = game.get("/players").gives(200).await;
    assert_eq!(people[1]["idle"], true);
    let new = json!({ "category": "Proposal", "title": "Wake me" });
    let refused = game.post("/posts", &new).by(&game.bert).gives(409).await;
    assert!(
        refused["refusal"]["sentence"]
            .as_str()
            .unwrap()
            .starts_with("needs")
    );
    let gwen = game.table.token("Gwen", false).await;
    game.post("/join", &json!({})).by(&gwen).gives(201).await;
    game.post("/posts", &new).by(&gwen).gives(409).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mistake_names_its_place() {
    let game = Game::with_lockets().await;
    let places = [
        (json!({ "action": "fly" }), "action"),
        (
            json!({ "action": "open-locket", "arguments": { "height": 3 } }),
            "arguments.height",
        ),
        (
            json!({ "action": "open-locket", "arguments": { "many": "lots" } }),
            "arguments.many",
        ),
        (
            json!({ "action": "open-locket", "arguments": { "many": 1.5 } }),
            "arguments.many",
        ),
        (
            json!({ "action": "open-locket", "arguments": { "many": { "of": 1 } } }),
            "arguments.many",
        ),
        (json!({ "action": "enact-proposal" }), "arguments.proposal"),
        (
            json!({ "action": "enact-proposal", "arguments": { "proposal": "post:99" } }),
            "arguments.proposal",
        ),
        (
            json!({ "action": "comment", "arguments": { "text": "hm" } }),
            "arguments.post",
        ),
        (
            json!({ "action": "message", "arguments": { "to": ["Bert", "Zoe"], "text": "hm" } }),
            "arguments.to[1]",
        ),
        (
            json!({ "action": "undo", "arguments": { "event": 999 } }),
            "arguments.event",
        ),
        (
            json!({ "action": "post", "arguments": { "title": 7 } }),
            "arguments.title",
        ),
        (
            json!({ "action": "post", "arguments": { "title": "x", "category": "Ode" } }),
            "arguments.category",
        ),
        (
            json!({ "action": "post", "arguments": { "title": "x", "changes": [
            { "do": "prose", "text": "a" }, { "do": "repeal", "id": "b" }] } }),
            "arguments.changes[1].do",
        ),
        (
            json!({ "action": "post", "arguments": { "title": "x", "changes": [
            { "do": "set_value", "thing": "player:2", "name": "gems", "value": "many" }] } }),
            "arguments.changes[0].value",
        ),
        (
            json!({ "action": "dice", "arguments": { "line": "x" }, "as": "Anna" }),
            "as",
        ),
    ];
    for (wish, place) in places {
        let told = game.post("/acts", &wish).by(&game.anna).gives(422).await;
        assert_eq!(told["place"], place, "{wish}: {told:#}");
        assert_eq!(told["type"], "urn:quorate:problem:bad-input");
    }
    let queries = [
        ("/posts?limit=many", "query"),
        ("/posts?colour=red", "query"),
        ("/posts?before=never", "query.before"),
        ("/events?who=somebody", "query.who"),
        ("/rules?at=yesterday", "query.at"),
        ("/values?kind=Dragon", "query.kind"),
    ];
    for (path, place) in queries {
        let told = game.get(path).gives(422).await;
        assert_eq!(told["place"], place, "{path}");
    }
    let key = "k".repeat(200);
    let long = game
        .post("/dice", &json!({ "line": "x" }))
        .by(&game.anna)
        .key(&key);
    assert_eq!(long.gives(422).await["place"], "Idempotency-Key");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_no_json_or_too_large_are_not_taken() {
    let game = Game::of_six().await;
    let post = || game.post("/posts", &json!({ "title": "x" })).by(&game.anna);
    post().raw(b"{\"title\": ".to_vec()).gives(400).await;
    post()
        .raw(b"{\"title\": \"x\"} and more".to_vec())
        .gives(400)
        .await;
    let long = json!({ "title": "x", "body": "a".repeat(256 * 1024) });
    let told = post().raw(long.to_string().into_bytes()).gives(413).await;
    assert_eq!(told["type"], "urn:quorate:problem:too-large");
    let form = Request::post(format!("{ROOT}/games/{}/posts", game.word))
        .header("authorization", format!("Bearer {}", game.anna))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from("title=x"))
        .unwrap();
    assert_eq!(game.table.send(form).await.status().as_u16(), 415);
    assert_eq!(
        game.get("").gives(200).await["head"]["seq"],
        11,
        "nothing was done"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let game = Game::of_six().await;
    let line = json!({ "line": "DICE6" });
    game.table
        .post("/games/nowhere/dice", &line)
        .by(&game.anna)
        .gives(404)
        .await;
    game.table.get("/games/nowhere").gives(404).await;
    for path in [
        "/posts/99",
        "/events/99",
        "/events/0",
        "/events/x",
        "/rules/none",
        "/values/game/none",
    ] {
        let told = game.get(path).gives(404).await;
        assert_eq!(told["type"], "urn:quorate:problem:not-found", "{path}");
    }
    game.post("/posts/99/comments", &json!({ "text": "x" }))
        .by(&game.anna)
        .gives(404)
        .await;
    for (method, path, status) in [("GET", "/nowhere", 404), ("DELETE", "/games", 405)] {
        let request = Request::builder()
            .method(method)
            .uri(format!("{ROOT}{path}"));
        let answer = game.table.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status().as_u16(), status);
        let media = answer.headers().get("content-type").unwrap();
        assert_eq!(media, "application/problem+json");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_of_events_to_strike_are_held_to_the_document() {
    let game = Game::of_six().await;
    for part in ["events", "uphold"] {
        let mut change = json!({ "do": "strike", "events": [3] });
        change[part] = json!([9_223_372_036_854_775_808_u64]);
        let asked = json!({ "changes": [change] });
        let call = game.post("/preview", &asked).by(&game.anna);
        let refused = call.gives(422).await;
        let told = refused["detail"].as_str().unwrap();
        assert!(told.contains("is not from 0 to"), "{part}: {told}");
    }
}

const GROWING: &str = r#"# Growing

1. Anybody may grow.

```starlark
entity("Blob")
blob = text("Blob", of = Blob)

def grow(actor: Player):
    words = "0123456789abcdef" * 8000
    for nth in range(16):
        Blob.create(blob = words + str(nth))

action("grow", grow)
```
"#;

/// A game with a rule that writes two megabytes each time.
async fn growing() -> (Game, Json) {
    let game = Game::of_six().await;
    let olga = game.table.token("Olga", true).await;
    let rule = json!({ "do": "add_rule", "id": "growing", "section": "core", "text": GROWING });
    let mend = json!({ "reason": "a new rule", "changes": [rule] });
    game.act(&olga, "repair", mend).await;
    (game, json!({ "action": "grow", "arguments": {} }))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_rules_write_more_than_there_is_for_an_hour_waits_and_others_do_not() {
    let (game, grow) = growing().await;
    for _ in 0..9 {
        game.post("/acts", &grow).by(&game.bert).gives(201).await;
    }
    let told = game.post("/acts", &grow).by(&game.bert).gives(429).await;
    assert_eq!(told["type"], "urn:quorate:problem:too-often");
    let words = told["detail"].as_str().unwrap();
    assert!(words.contains("too much at once"), "{words}");
    game.post("/acts", &grow).by(&game.anna).gives(201).await;
    game.table.pass(Span::hours(1));
    game.post("/acts", &grow).by(&game.bert).gives(201).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_commands_that_come_at_once_no_more_are_judged_than_there_is_room_for() {
    let (game, grow) = growing().await;
    let all = (0..40).map(|_| game.post("/acts", &grow).by(&game.bert).answer());
    let all = futures_util::future::join_all(all).await;
    let count = |status: u16| all.iter().filter(|one| one.status == status).count();
    assert_eq!(count(201) + count(429), 40);
    assert!((9..=16).contains(&count(201)), "{}", count(201));
    game.post("/acts", &grow).by(&game.bert).gives(429).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hangs_up_is_charged_all_the_same() {
    let (game, grow) = growing().await;
    let head = async || {
        game.get("").gives(200).await["head"]["seq"]
            .as_u64()
            .unwrap()
    };
    let before = head().await;
    let mut tries = 0;
    while head().await < before + 9 {
        let call = game.post("/acts", &grow).by(&game.bert).answer();
        let _hung_up = tokio::time::timeout(Duration::from_millis(tries), call).await;
        tries += 1;
        assert!(tries < 60, "each is judged sooner or later");
    }
    game.post("/acts", &grow).by(&game.bert).gives(429).await;
}
