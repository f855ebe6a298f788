//! Games that the operator removes and puts back.

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_runtime::ports::Account;
use quorate_server::security::session::SessionToken;
use serde_json::json;

use crate::Game;
use crate::table::{ANSWER_BYTES, Table};

pub(crate) async fn page(game: &Game, session: &SessionToken, path: &str) -> (StatusCode, String) {
    answered(game, session, Request::get(path), Body::empty()).await
}

pub(crate) async fn sent(
    game: &Game,
    session: &SessionToken,
    path: &str,
    form: &str,
) -> (StatusCode, String) {
    let csrf = game.table.site().csrf.issue(session).unwrap();
    let request =
        Request::post(path).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let body = Body::from(format!("csrf={csrf}&{form}"));
    answered(game, session, request, body).await
}

async fn answered(
    game: &Game,
    session: &SessionToken,
    request: axum::http::request::Builder,
    body: Body,
) -> (StatusCode, String) {
    let request = request.header(header::COOKIE, game.table.cookie(session));
    let response = game.table.send(request.body(body).unwrap()).await;
    let status = response.status();
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_game_is_nowhere_until_it_is_put_back_with_all_that_was_in_it() {
    is_nowhere_until_it_is_put_back(Game::of_six().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn so_it_is_where_workers_make_the_pages() {
    is_nowhere_until_it_is_put_back(Game::of_six_at(Table::apart().await).await).await;
}

async fn is_nowhere_until_it_is_put_back(game: Game) {
    let olga = game.table.token("Olga", true).await;
    let (path, own) = (format!("/games/{}", game.word), format!("/g/{}", game.word));
    let (anna, panel) = (
        game.table.session("Anna").await,
        game.table.session("Olga").await,
    );
    let before = game.table.get(&path).by(&game.anna).gives(200).await;
    assert_eq!(page(&game, &anna, &own).await.0, StatusCode::OK);

    game.table.delete(&path).by(&game.anna).gives(403).await;
    let told = game.table.delete(&path).by(&olga).gives(200).await;
    assert_eq!(told["removed"], true);
    game.table.delete(&path).by(&olga).gives(404).await;
    game.table.get(&path).by(&game.anna).gives(404).await;
    let story = json!({ "category": "Story", "title": "A tale", "body": "Once." });
    game.post("/posts", &story).by(&game.bert).gives(404).await;
    let games = game.table.get("/games").by(&game.anna).gives(200).await;
    assert_eq!(games, json!([]));
    let account = game.table.get("/account").by(&game.anna).gives(200).await;
    assert_eq!(account["seats"], json!([]));
    assert_eq!(page(&game, &anna, &own).await.0, StatusCode::NOT_FOUND);
    let (status, home) = page(&game, &anna, "/").await;
    assert_eq!(status, StatusCode::OK);
    assert!(!home.contains("The Wilds"), "{home}");
    let (status, settings) = page(&game, &anna, "/settings").await;
    assert_eq!(status, StatusCode::OK, "{settings}");

    // Its word is not given to another.
    let new = json!({ "rulebook": "adventurers-2019", "title": "The Wilds" });
    let another = game.table.post("/games", &new).by(&game.anna);
    let another = another.gives(201).await;
    assert_ne!(another["game"], game.word);

    let (_, shown) = page(&game, &panel, "/operator").await;
    assert!(shown.contains("Put it back"), "{shown}");
    let form = format!("game={}", game.word);
    let denied = sent(&game, &anna, "/operator/put-back", &form).await;
    assert_eq!(denied.0, StatusCode::NOT_FOUND);
    let back = sent(&game, &panel, "/operator/put-back", &form).await;
    assert_eq!(back.0, StatusCode::SEE_OTHER, "{}", back.1);
    let after = game.table.get(&path).by(&game.anna).gives(200).await;
    assert_eq!(after["head"], before["head"]);
    game.post("/posts", &story).by(&game.bert).gives(201).await;

    let removed = sent(&game, &panel, "/operator/remove", &form).await;
    assert_eq!(removed.0, StatusCode::SEE_OTHER, "{}", removed.1);
    let told = game.table.post(&format!("{path}/put-back"), &json!({}));
    assert_eq!(told.by(&olga).gives(200).await["removed"], false);
    game.table.get(&path).by(&game.anna).gives(200).await;
    let (_, log) = page(&game, &panel, "/operator/security").await;
    assert_eq!(log.matches("An operator removed a game").count(), 2);
    assert_eq!(log.matches("put a removed game back").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_erases_their_words_erases_them_in_removed_games_too() {
    let game = Game::of_six().await;
    let olga = game.table.token("Olga", true).await;
    let story = json!({ "category": "Story", "title": "A tale", "body": "quincemarker" });
    let told = game.post("/posts", &story).by(&game.bert).gives(201).await;
    let path = format!("/games/{}", game.word);
    game.table.delete(&path).by(&olga).gives(200).await;
    let site = game.table.site();
    let accounts = &site.deps.accounts;
    let account = accounts.account_by_name("Bert").await.unwrap().unwrap();
    let with_password = Account {
        password: Some(site.passwords.digest("lamps on the quay").unwrap()),
        ..account
    };
    accounts.change(&with_password).await.unwrap();
    let bert = game.table.session("Bert").await;
    let form = "old=lamps+on+the+quay";
    let done = sent(&game, &bert, "/settings/forget", form).await;
    assert_eq!(done.0, StatusCode::SEE_OTHER, "{}", done.1);
    let put_back = format!("{path}/put-back");
    let put_back = game.table.post(&put_back, &json!({})).by(&olga);
    put_back.gives(200).await;
    let post = format!("/posts/{}", told["post"].as_str().unwrap());
    let read = game.get(&post).by(&game.anna).gives(200).await;
    assert!(!read.to_string().contains("quincemarker"), "{read}");
}
