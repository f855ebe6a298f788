//! What comes back by mail.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use quorate_kernel::Span;
use quorate_notices::choice::{Hour, Hours};
use quorate_server::mail_in_key;
use serde_json::json;

use super::Post;

/// Hands a mail over as `quorate mail-in` does.
pub(super) async fn hand_over(post: &Post, mail: &str) -> String {
    let key = mail_in_key(&post.game.table.site().deps.secret);
    let request = Request::post("/mail-in")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .body(Body::from(mail.to_owned()))
        .unwrap();
    let (status, said) = post.bare(request).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    said
}

/// The address to which the newest notice is answered.
fn reply_to(post: &Post) -> String {
    let all = post.mail.read(|mail| {
        let to = mail.reply_to().unwrap().first().unwrap();
        to.address().unwrap().to_owned()
    });
    all.last().unwrap().clone()
}

pub(super) fn mail(from: &str, to: &str, id: &str, body: &str) -> String {
    format!(
        "From: {from}\r\nTo: {to}\r\nSubject: Re: Your vote is wanted\r\nMessage-ID: <{id}@post.example>\r\n\r\n{body}\r\n"
    )
}

pub(super) async fn asked(post: &Post) -> (String, String) {
    post.by_mail("Bert").await;
    let matter = post.proposal("More rope").await;
    post.round().await;
    let to = reply_to(post);
    post.mail.forget();
    (matter, to)
}

/// Bert's vote as it counts; empty where there is none.
pub(super) async fn berts_vote(post: &Post, matter: &str) -> String {
    let shown = post.game.get(&format!("/posts/{matter}")).gives(200).await;
    let mut votes = shown["votes"].as_array().unwrap().iter();
    let vote = votes.find(|vote| vote["voter"]["name"] == "Bert").unwrap();
    vote["vote"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_by_mail_votes_once() {
    let post = Post::open().await;
    let (matter, to) = asked(&post).await;
    let body = "FOR\r\n\r\nRopes are good.\r\n\r\nOn Sunday Quorate wrote:\r\n> :against:\r\n";
    let answer = mail("Bert <bert@post.example>", &to, "1", body);
    assert_eq!(hand_over(&post, &answer).await, "played");
    assert_eq!(
        hand_over(&post, &answer).await,
        "played",
        "the second copy is the same comment"
    );
    let shown = post.game.get(&format!("/posts/{matter}")).gives(200).await;
    let thread = shown["thread"].as_array().unwrap();
    assert_eq!(thread.len(), 1, "{thread:#?}");
    assert!(
        thread[0]["text"]
            .as_str()
            .unwrap()
            .contains("Ropes are good.")
    );
    assert!(!thread[0]["text"].as_str().unwrap().contains("against"));
    assert_eq!(berts_vote(&post, &matter).await, "for");
    assert_eq!(post.mail.count(), 0, "what was done needs no answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_was_passed_on_cannot_vote() {
    let post = Post::open().await;
    let (matter, to) = asked(&post).await;
    let said = hand_over(&post, &mail("mallory@evil.example", &to, "1", "FOR")).await;
    assert!(
        said.starts_with("answered: That notice went to another address"),
        "{said}"
    );
    assert_eq!(berts_vote(&post, &matter).await, "");
    let mangled = to.replacen("a.", "a.1", 1);
    let said = hand_over(&post, &mail("bert@post.example", &mangled, "2", "FOR")).await;
    assert!(
        said.starts_with("answered: What you answered is too old"),
        "{said}"
    );
    assert_eq!(berts_vote(&post, &matter).await, "");
    let answers = post.mail.read(|mail| mail.subject().unwrap().to_owned());
    assert_eq!(answers[0], "Not done: Re: Your vote is wanted");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_played_is_answered_and_machines_are_not() {
    let post = Post::open().await;
    let (_, to) = asked(&post).await;
    let empty = hand_over(&post, &mail("bert@post.example", &to, "1", "> only quoted")).await;
    assert!(
        empty.starts_with("answered: Your mail holds no words"),
        "{empty}"
    );
    let away = format!(
        "Auto-Submitted: auto-replied\r\n{}",
        mail("bert@post.example", &to, "2", "Away.")
    );
    assert_eq!(hand_over(&post, &away).await, "ignored");
    let stranger = mail("mallory@evil.example", "reply@nomic.example", "3", "FOR");
    assert_eq!(hand_over(&post, &stranger).await, "ignored");
    let request = Request::post("/mail-in").body(Body::from(empty)).unwrap();
    assert_eq!(post.bare(request).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_comes_back_pauses_its_address() {
    let post = Post::open().await;
    let channel = post.by_mail("Bert").await;
    post.proposal("More rope").await;
    post.round().await;
    let letter = &post.outbox().letters_of(channel.id, 1).await.unwrap()[0];
    let answer = reply_to(&post);
    assert!(answer.contains(&format!("a.{}.", letter.id.0)));
    let report = |to: &str| {
        format!(
            "From: MAILER-DAEMON@post.example\r\nTo: {to}\r\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=x\r\n\r\n\
             --x\r\nContent-Type: message/delivery-status\r\n\r\nStatus: 5.1.1\r\n--x--\r\n"
        )
    };
    assert_eq!(
        hand_over(&post, &report(&answer)).await,
        "ignored",
        "that is another address"
    );
    let back = post.mail.back();
    assert_eq!(
        hand_over(&post, &report(back.last().unwrap())).await,
        "noted"
    );
    let channel = post.outbox().channel(channel.id).await.unwrap().unwrap();
    assert!(channel.paused.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_is_answered_thing_by_thing() {
    let post = Post::open().await;
    let channel = post.by_mail("Bert").await;
    let hours = Hours {
        quiet: Some((Hour::new(9).unwrap(), Hour::new(17).unwrap())),
        ..Hours::default()
    };
    let set = post.outbox().set_hours(channel.account, &hours);
    set.await.unwrap();
    let (first, second) = (
        post.proposal("More rope").await,
        post.proposal("Less rope").await,
    );
    assert_eq!(post.round().await, 0, "it is quiet");
    post.game.table.pass(Span::hours(8));
    post.round().await;
    let whole = reply_to(&post);
    let text = post
        .mail
        .read(|mail| mail.body_text(0).unwrap().into_owned());
    let text = text[0].clone();
    post.mail.forget();
    let bert = "Bert <bert@post.example>";
    let said = hand_over(&post, &mail(bert, &whole, "1", "FOR")).await;
    assert!(
        said.starts_with("answered: That mail tells of several things"),
        "{said}"
    );
    assert_eq!(post.mail.count(), 1, "and Bert is told");
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("Write to "));
    let each: Vec<&str> = lines.map(|line| line.split_once(' ').unwrap().0).collect();
    assert_eq!(each.len(), 2, "{text}");
    assert!(
        text.contains("with an icon such as FOR or AGAINST"),
        "{text}"
    );
    let said = hand_over(&post, &mail(bert, each[1], "2", "FOR")).await;
    assert_eq!(said, "played");
    assert_eq!(berts_vote(&post, &first).await, "");
    assert_eq!(berts_vote(&post, &second).await, "for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_message_is_answered_by_mail() {
    let post = Post::open().await;
    post.by_mail("Bert").await;
    let dan = post.game.others[1].clone();
    let message = json!({ "to": ["Bert", "Cora"], "text": "Shall we row?" });
    let sent = post.game.post("/messages", &message).by(&dan);
    sent.gives(201).await;
    post.round().await;
    let text = post
        .mail
        .read(|mail| mail.body_text(0).unwrap().into_owned());
    assert!(
        text[0].contains("Answer this mail to write back."),
        "{text:?}"
    );
    let to = reply_to(&post);
    let said = hand_over(&post, &mail("bert@post.example", &to, "1", "At dawn.")).await;
    assert_eq!(said, "played");
    for token in [&dan, &post.game.others[0]] {
        let all = post.game.get("/messages").by(token).gives(200).await;
        assert!(all.to_string().contains("At dawn."), "{all}");
    }
    let stranger = post.game.get("/messages").by(&post.game.others[2]);
    let all = stranger.gives(200).await;
    assert!(!all.to_string().contains("At dawn."), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_told_from_a_quotation_is_shown_to_nobody() {
    let post = Post::open().await;
    let (matter, to) = asked(&post).await;
    let body =
        "FOR\r\n\r\nQuorate said\r\nNo more of this: https://nomic.example/notices/off/o.1.x";
    let said = hand_over(&post, &mail("bert@post.example", &to, "1", body)).await;
    assert!(
        said.starts_with("answered: Your mail program quotes"),
        "{said}"
    );
    assert_eq!(berts_vote(&post, &matter).await, "");
}
