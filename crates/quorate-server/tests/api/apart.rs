//! A server that leaves rule code to workers compiles no law of its own, whatever it is asked.

use axum::body::Body;
use axum::http::{Request, header};
use quorate_engine::pictures;
use quorate_server::security::session::SessionToken;
use serde_json::json;

use crate::Game;
use crate::pictures::form;
use crate::reader::{Got, ask, get};
use crate::table::Table;

/// No law was compiled in the server.
fn is_clean(game: &Game, after: &str) {
    let bytes = game.table.site().deps.laws.bytes();
    assert_eq!(bytes, 0, "the server compiled a law for {after}");
}

/// Sends a form to an address, as a browser does, and expects a status.
async fn sent(game: &Game, who: &SessionToken, path: &str, fields: &str, status: u16) -> Got {
    let csrf = game.table.site().csrf.issue(who).unwrap();
    let request =
        Request::post(path).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let request = request.body(Body::from(format!("csrf={csrf}&{fields}")));
    let got = ask(game, who, request.unwrap()).await;
    assert_eq!(
        got.status.as_u16(),
        status,
        "{path} {fields}: {}",
        got.text()
    );
    is_clean(game, path);
    got
}

/// Puts a picture into a text.
async fn uploaded(game: &Game, who: &SessionToken, file: &[u8], status: u16) {
    let csrf = game.table.site().csrf.issue(who).unwrap();
    let parts = [
        ("csrf", None, csrf.as_bytes()),
        ("draft", None, b"new=Story Post".as_slice()),
        ("body", None, b"Look:".as_slice()),
        ("picture", Some("a.png"), file),
    ];
    let request = Request::post(format!("/g/{}/uploads", game.word))
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge");
    let got = ask(game, who, request.body(Body::from(form(&parts))).unwrap()).await;
    assert_eq!(got.status.as_u16(), status, "{}", got.text());
    is_clean(game, "an upload");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_beside_a_log_takes_no_law() {
    let game = Game::of_six_at(Table::apart().await).await;
    is_clean(&game, "founding and letting in");
    let story = json!({ "category": "Story Post", "title": "A day", "body": "It rained." });
    let made = game.post("/posts", &story).by(&game.bert).gives(201).await;
    let post = made["post"].as_str().unwrap().to_owned();
    let anna = game.table.session("Anna").await;
    let to = |path: &str| format!("/g/{}{path}", game.word);

    let draft = "draft=new%3DStory+Post&title=A+map&body=Here.";
    sent(&game, &anna, &to("/drafts"), draft, 303).await;
    sent(&game, &anna, &to("/drafts"), "draft=nothing", 400).await;
    sent(&game, &anna, &to("/drafts/delete"), draft, 303).await;
    let file = pictures::file(&pictures::drawn(8, 8, 3)).unwrap();
    uploaded(&game, &anna, &file, 303).await;
    uploaded(&game, &anna, b"no picture", 400).await;
    for what in ["posts", "rules", "values"] {
        sent(&game, &anna, &to(&format!("/seen/{what}")), "", 303).await;
    }
    sent(&game, &anna, &to("/seen/nothing"), "", 404).await;
    for what in [
        format!("post:{post}"),
        "person:2".to_owned(),
        "rule:fair-play".to_owned(),
    ] {
        let fields = format!("what={what}&do=follow");
        sent(&game, &anna, &to("/follow"), &fields, 303).await;
    }
    sent(&game, &anna, &to("/follow"), "what=post:999&do=follow", 404).await;
    let told = format!("about=post:{post}&why=rude");
    sent(&game, &anna, &to("/report"), &told, 303).await;
    sent(&game, &anna, &to("/report"), "about=player:2&why=rude", 303).await;
    sent(
        &game,
        &anna,
        &to("/report"),
        "about=player:99&why=rude",
        404,
    )
    .await;
    sent(
        &game,
        &anna,
        &to("/report"),
        &format!("about=post:{post}"),
        400,
    )
    .await;

    let forget = to(&format!("/log/{post}/forget"));
    let refused = sent(&game, &anna, &forget, "", 404).await;
    let back = format!("href=\"/g/{}\"", game.word);
    assert!(refused.text().contains(&back), "{}", refused.text());
    let bert = game.table.session("Bert").await;
    sent(&game, &bert, &forget, "", 303).await;
    let page = get(&game, &anna, &to(&format!("/post/{post}"))).await;
    assert!(!page.text().contains("It rained."), "the words are gone");
    sent(&game, &anna, &to("/nowhere"), "", 404).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_operators_do_to_a_game_takes_no_law_in_the_server() {
    let game = Game::of_six_at(Table::apart().await).await;
    let story = json!({ "category": "Story Post", "title": "A day", "body": "It rained." });
    let made = game.post("/posts", &story).by(&game.bert).gives(201).await;
    let post = made["post"].as_str().unwrap().to_owned();
    let operator = game.table.token("Olga", true).await;
    let mend = json!({ "reason": "a page was lost",
        "changes": [{ "do": "rename_rule", "id": "fair-play", "title": "Playing fair" }] });
    let done = game.act(&operator, "repair", mend).await;
    assert_eq!(done["event"]["actor"]["kind"], "operator");
    is_clean(&game, "a repair");
    let judged = game.get("/verify?grade=judgement").by(&operator);
    let verdict = judged.gives(200).await;
    assert_eq!(verdict["holds"], true, "{verdict}");
    is_clean(&game, "a log judged again");
    let olga = game.table.session("Olga").await;
    let wish = format!("game={}&event={post}&why=rude", game.word);
    sent(&game, &olga, "/operator/withhold", &wish, 303).await;
    for path in ["/", "/operator", "/notices", "/settings", "/nowhere"] {
        get(&game, &olga, path).await;
        is_clean(&game, path);
    }
}
