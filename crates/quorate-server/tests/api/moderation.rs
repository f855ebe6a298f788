//! What players tell the operator of, and what an account is kept from: told to its owner, in the log, and lifted again.

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_kernel::Span;
use quorate_runtime::ports::{Passkey, SecurityEvent};
use quorate_server::security::session::SessionToken;
use serde_json::json;

use crate::Game;
use crate::table::ANSWER_BYTES;

async fn page(game: &Game, session: &SessionToken, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).header(header::COOKIE, game.table.cookie(session));
    let response = game.table.send(request.body(Body::empty()).unwrap()).await;
    let status = response.status();
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

async fn sent(game: &Game, session: &SessionToken, path: &str, form: &str) -> (StatusCode, String) {
    let csrf = game.table.site().csrf.issue(session).unwrap();
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::COOKIE, game.table.cookie(session));
    let body = Body::from(format!("csrf={csrf}&{form}"));
    let response = game.table.send(request.body(body).unwrap()).await;
    let status = response.status();
    let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_reaches_the_operator_and_nobody_else() {
    let game = Game::of_six().await;
    let story = json!({ "category": "Story", "title": "A slur", "body": "Something vile." });
    let made = game.post("/posts", &story).by(&game.bert).gives(201).await;
    let post = made["post"].as_str().unwrap();
    game.table.token("Olga", true).await;
    let (anna, olga) = (
        game.table.session("Anna").await,
        game.table.session("Olga").await,
    );
    let place = format!("/g/{}/post/{post}", game.word);
    let (_, own) = page(&game, &anna, &place).await;
    let link = format!("/g/{}/report?about=post:{post}", game.word);
    assert!(own.contains(&link), "the post has the way to it: {own}");
    let (status, form) = page(&game, &anna, &link).await;
    assert_eq!(status, StatusCode::OK);
    assert!(form.contains("A slur"), "{form}");
    let report = format!("/g/{}/report", game.word);
    let told = sent(
        &game,
        &anna,
        &report,
        &format!("about=post:{post}&why=quincemarker"),
    )
    .await;
    assert_eq!(told.0, StatusCode::SEE_OTHER, "{}", told.1);
    let bert = game.table.session("Bert").await;
    let form = format!("about=post:{post}&why=nothing+of+note");
    sent(&game, &bert, &report, &form).await;
    let nothing = sent(&game, &anna, &report, "about=post:999999&why=x").await;
    assert_eq!(nothing.0, StatusCode::NOT_FOUND);

    let (_, panel) = page(&game, &olga, "/operator").await;
    assert!(
        panel.contains("quincemarker") && panel.contains(&place),
        "{panel}"
    );
    assert!(panel.contains("Anna, an admin there, says"), "{panel}");
    assert!(panel.contains("Bert says"), "{panel}");
    for path in [
        place.as_str(),
        &format!("/g/{}", game.word),
        &format!("/g/{}/log", game.word),
    ] {
        assert!(
            !page(&game, &bert, path).await.1.contains("quincemarker"),
            "{path}"
        );
    }
    let settled = sent(&game, &olga, "/operator/settle", "report=1").await;
    assert_eq!(settled.0, StatusCode::SEE_OTHER, "{}", settled.1);
    assert!(
        !page(&game, &olga, "/operator")
            .await
            .1
            .contains("quincemarker")
    );
    let (_, log) = page(&game, &olga, "/operator/security").await;
    assert!(log.contains("settled a report"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_ended_is_gone_and_its_players_stay() {
    let game = Game::of_six().await;
    game.table.token("Olga", true).await;
    let olga = game.table.session("Olga").await;
    let bert = game.table.session("Bert").await;
    let unsaid = sent(&game, &olga, "/operator/restrain", "name=Bert&way=end").await;
    assert_eq!(unsaid.0, StatusCode::BAD_REQUEST, "a reason is asked for");
    let form = "name=Bert&way=end&why=threats";
    let done = sent(&game, &olga, "/operator/restrain", form).await;
    assert_eq!(done.0, StatusCode::SEE_OTHER, "{}", done.1);
    assert_eq!(
        page(&game, &bert, "/settings").await.0,
        StatusCode::UNAUTHORIZED
    );
    game.get("").by(&game.bert).gives(401).await;
    let players = game.get("/players").gives(200).await;
    assert!(players.to_string().contains("Bert"), "{players}");
    let (_, log) = page(&game, &olga, "/operator/security").await;
    assert!(
        log.contains("ended the account") && log.contains("Bert: threats"),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_muted_acts_and_writes_nothing_until_it_ends() {
    let game = Game::with_lockets().await;
    game.table.token("Olga", true).await;
    let olga = game.table.session("Olga").await;
    let story = json!({ "category": "Story", "title": "A tale", "body": "Once." });
    let form = "name=Bert&way=muted&days=2&why=shouting";
    let done = sent(&game, &olga, "/operator/restrain", form).await;
    assert_eq!(done.0, StatusCode::SEE_OTHER, "{}", done.1);
    let refused = game.post("/posts", &story).by(&game.bert).gives(403).await;
    assert!(
        refused["detail"].as_str().unwrap().contains("shouting"),
        "{refused}"
    );
    let letter = json!({ "to": ["Anna"], "text": "hey" });
    game.post("/messages", &letter)
        .by(&game.bert)
        .gives(403)
        .await;
    let wish = json!({ "action": "open-locket", "arguments": { "wish": "gold", "many": 1 } });
    game.post("/acts", &wish).by(&game.bert).gives(201).await;
    game.table.pass(Span::days(3));
    game.post("/posts", &story).by(&game.bert).gives(201).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_suspended_is_signed_out_and_cannot_sign_in_until_it_is_lifted() {
    let game = Game::of_six().await;
    game.table.token("Olga", true).await;
    let olga = game.table.session("Olga").await;
    let bert = game.table.session("Bert").await;
    let site = game.table.site();
    let account = site
        .deps
        .accounts
        .account_by_name("Bert")
        .await
        .unwrap()
        .unwrap();
    let digest = site.passwords.digest("lamps on the quay").unwrap();
    let account = quorate_runtime::ports::Account {
        password: Some(digest),
        ..account
    };
    site.deps.accounts.change(&account).await.unwrap();
    let passkey = Passkey {
        id: vec![1],
        account: account.id,
        key: vec![2],
        sign_count: 0,
        label: "Phone".to_owned(),
        made_at: site.now(),
        used_at: None,
    };
    site.deps.safety.add_passkey(&passkey).await.unwrap();
    let form = "name=Bert&way=suspended&why=threats";
    let done = sent(&game, &olga, "/operator/restrain", form).await;
    assert_eq!(done.0, StatusCode::SEE_OTHER, "{}", done.1);
    assert_eq!(
        page(&game, &bert, "/settings").await.0,
        StatusCode::UNAUTHORIZED
    );
    game.get("").by(&game.bert).gives(401).await;
    let fresh = SessionToken::fresh().unwrap();
    let sign_in = "name=Bert&password=lamps+on+the+quay";
    let (status, told) = sent(&game, &fresh, "/sign-in", sign_in).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(
        told.contains("suspended") && told.contains("threats"),
        "{told}"
    );
    let lifted = sent(&game, &olga, "/operator/restrain", "name=Bert&way=lift").await;
    assert_eq!(lifted.0, StatusCode::SEE_OTHER, "{}", lifted.1);
    let back = sent(&game, &fresh, "/sign-in", sign_in).await;
    assert_eq!(back.0, StatusCode::SEE_OTHER, "{}", back.1);
    let passkeys = site.deps.safety.passkeys_of(account.id).await.unwrap();
    assert_eq!(passkeys.len(), 1, "what was lifted leaves no trace");
    let entries = site.deps.safety.entries(Some(account.id), 100).await;
    let entries = entries.unwrap();
    let count = |event| entries.iter().filter(|entry| entry.event == event).count();
    assert_eq!(count(SecurityEvent::SignedIn), 1, "once, not while it was");
    assert_eq!(count(SecurityEvent::SignInFailed), 1);
    let (_, log) = page(&game, &olga, "/operator/security").await;
    for event in [
        "suspended the account",
        "lifted what the account",
        "threats",
    ] {
        assert!(log.contains(event), "{event}: {log}");
    }
    // Those who run the server are kept from nothing by each other.
    let own = sent(
        &game,
        &olga,
        "/operator/restrain",
        "name=Olga&way=suspended&why=x",
    )
    .await;
    assert_eq!(own.0, StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operators_program_that_takes_a_copy_is_in_the_log() {
    let game = Game::of_six().await;
    let olga = game.table.token("Olga", true).await;
    let copy = game.get("/export").by(&olga).answer().await;
    assert_eq!(copy.status, StatusCode::OK);
    let entries = game.table.site().deps.safety.entries(None, 100).await;
    let mut entries = entries.unwrap().into_iter();
    let taken = entries.find(|entry| entry.event == SecurityEvent::CopyTaken);
    assert_eq!(taken.expect("an entry").about, game.word);
}
