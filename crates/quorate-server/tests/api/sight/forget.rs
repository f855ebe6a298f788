//! Words that are taken out for good, by whoever wrote them and by the operator.

use quorate_runtime::ports::Account;
use serde_json::json;

use super::readers::{Reader, Role};
use super::world::{Ball, GAME, THESE};

/// Has Bert say something under a post, and gives the number of that event.
async fn said(ball: &Ball, post: &str, words: &str) -> u64 {
    let path = format!("/games/{GAME}/posts/{post}/comments");
    let body = json!({ "text": words });
    let call = ball.table.post(&path, &body).by(&ball.tokens[1]).key(words);
    call.gives(201).await["event"]["seq"].as_u64().unwrap()
}

fn forget(event: u64) -> String {
    format!("/g/{GAME}/log/{event}/forget")
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wrote_words_takes_them_out_once_nobody_votes_on_them() {
    let mut ball = Ball::with(THESE).await;
    ball.unmask().await;
    let bert = Reader::of(&ball, Role::Keeper).await;
    let dan = Reader::of(&ball, Role::Player).await;
    let (open, closed) = (&ball.posts[1], &ball.posts[3]);
    let (free, bound) = (
        said(&ball, closed, "rowanwords").await,
        said(&ball, open, "hazelwords").await,
    );
    let page = format!("/g/{GAME}/post/{closed}");
    assert!(dan.get(&page).await.body.contains("rowanwords"));
    let foreign = dan
        .post(&forget(free), "reason=no", Some(&dan.csrf()))
        .await;
    assert_eq!(foreign.status, 404);
    let pends = bert.post(&forget(bound), "", Some(&bert.csrf())).await;
    assert_eq!(pends.status, 403, "{}", pends.body);
    assert!(
        pends.body.contains("voting on these words"),
        "{}",
        pends.body
    );
    let gone = bert.post(&forget(free), "", Some(&bert.csrf())).await;
    assert_eq!(gone.status, 303, "{}", gone.body);
    let after = bert.get(&page).await.body;
    assert!(!after.contains("rowanwords") && after.contains("was taken out"));
    let open = format!("/g/{GAME}/post/{open}");
    assert!(bert.get(&open).await.body.contains("hazelwords"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_withholds_words_and_says_why_in_the_log() {
    let ball = Ball::with(THESE).await;
    let olga = Reader::of(&ball, Role::Operator).await;
    let event = said(&ball, &ball.posts[1], "aspenwords").await;
    let silent = olga
        .post(&forget(event), "reason=", Some(&olga.csrf()))
        .await;
    assert_eq!(silent.status, 400, "{}", silent.body);
    let form = "reason=a+home+address";
    let gone = olga.post(&forget(event), form, Some(&olga.csrf())).await;
    assert_eq!(gone.status, 303, "{}", gone.body);
    let post = format!("/g/{GAME}/post/{}", ball.posts[1]);
    assert!(!olga.get(&post).await.body.contains("aspenwords"));
    let marked = format!("/g/{GAME}/log/{}", ball.head().await);
    let marked = olga.get(&marked).await.body;
    assert!(marked.contains("is withheld: a home address"), "{marked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_takes_all_its_words_out_and_the_log_still_holds() {
    let mut ball = Ball::with(THESE).await;
    ball.unmask().await;
    let site = ball.table.site();
    let bert = site.deps.accounts.account_by_name("Bert").await;
    let bert = bert.unwrap().unwrap();
    let password = Some(site.passwords.digest("a long password").unwrap());
    let bert = Account { password, ..bert };
    site.deps.accounts.change(&bert).await.unwrap();
    said(&ball, &ball.posts[3], "rowanwords").await;
    let reader = Reader::of(&ball, Role::Keeper).await;
    let wrong = reader
        .post("/settings/forget", "old=wrong", Some(&reader.csrf()))
        .await;
    assert!(wrong.status.is_client_error(), "{}", wrong.status);
    let page = format!("/g/{GAME}/post/{}", ball.posts[3]);
    assert!(reader.get(&page).await.body.contains("rowanwords"));
    let form = "old=a+long+password";
    let gone = reader
        .post("/settings/forget", form, Some(&reader.csrf()))
        .await;
    assert_eq!(gone.status, 303, "{}", gone.body);
    let after = reader.get(&page).await.body;
    assert!(!after.contains("rowanwords") && after.contains("Bert"));
    let letters = reader.get(&format!("/g/{GAME}/messages")).await.body;
    assert!(!letters.contains("quincemarker"), "{letters}");
    let verdict = ball.table.get(&format!("/games/{GAME}/verify"));
    let verdict = verdict.by(&ball.tokens[0]).gives(200).await;
    assert_eq!(verdict["holds"], true, "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_elsewhere_is_signed_out_from_the_settings() {
    let ball = Ball::with(THESE).await;
    let (here, there) = (
        Reader::of(&ball, Role::Keeper).await,
        Reader::of(&ball, Role::Keeper).await,
    );
    let page = here.get("/settings").await.body;
    let (_, form) = page.split_once("name=\"session\" value=\"").unwrap();
    let (session, _) = form.split_once('"').unwrap();
    assert_eq!(page.matches("name=\"session\"").count(), 1, "{page}");
    let form = format!("session={session}");
    let ended = here
        .post("/settings/end-session", &form, Some(&here.csrf()))
        .await;
    assert_eq!(ended.status, 303, "{}", ended.body);
    assert_ne!(there.get("/settings").await.status, 200);
    assert_eq!(here.get("/settings").await.status, 200);
}
