//! A receiver that says nothing, and a game that cannot be read, hold up themselves alone.

use std::time::Duration;

use axum::http::StatusCode;
use quorate_kernel::{EventSeq, GameId, Span};
use quorate_notices::choice::{Hour, Hours};
use quorate_notices::outbox::{ChannelAudience, ChannelSort, LetterStanding, OutboxLetter};
use quorate_server::Courier;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::Post;

/// An address on the web that takes connections and never answers; gives where, and tells of each connection.
async fn silent() -> (String, mpsc::UnboundedReceiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
            let _ = tell.send(());
        }
    });
    (address, told)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_says_nothing_delays_no_other_and_no_vote() {
    let post = Post::open().await;
    let (address, mut reached) = silent().await;
    let own = ChannelAudience::ALL;
    let dead = post
        .channel("Bert", ChannelSort::Webhook, &address, own)
        .await;
    post.by_mail("Cora").await;
    let matter = post.proposal("More rope").await;
    // Who waits for it waits longer than this test.
    let forever = Duration::from_hours(24);
    let courier = Courier::with_patience(post.game.table.site(), forever).unwrap();
    let (first, others) = (courier.clone(), courier);
    let waiting = tokio::spawn(async move { drop(first.round().await) });
    reached.recv().await.unwrap();
    while post.mail.count() < 1 {
        tokio::task::yield_now().await;
    }
    // It is waited for still, and meanwhile people play and hear of it.
    post.comment(&post.game.bert, &matter, ":for:").await;
    post.proposal("Less rope").await;
    while post.mail.count() < 2 {
        others.round().await.unwrap();
    }
    assert!(!waiting.is_finished(), "nobody waited until it gave up");
    let letters = post.outbox().letters_of(dead.id, 9).await.unwrap();
    assert!(letters.len() >= 2, "nothing of it is lost: {letters:?}");
    let waits = |letter: &OutboxLetter| letter.standing == LetterStanding::Waiting;
    assert!(letters.iter().all(waits));
    waiting.abort();
}

/// Bert founds another game, and Anna asks to join there; gives it.
async fn other_game(post: &Post) -> GameId {
    let table = &post.game.table;
    let new = json!({ "rulebook": "adventurers-2019", "title": "The Reef" });
    let founded = table.post("/games", &new).by(&post.game.bert).gives(201);
    let word = founded.await["game"].as_str().unwrap().to_owned();
    post.courier.round().await.unwrap();
    post.mail.forget();
    // The page shows no event, so that none is remembered.
    let join = format!("/g/{word}/join");
    let (status, page) = post.form("Anna", &join, "name=Anna&text=Hello").await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{page}");
    word.parse().unwrap()
}

/// The second event of a game cannot be read any more; gives what stood there.
fn damage(post: &Post, game: &GameId) -> Vec<u8> {
    let mut stood = Vec::new();
    let memory = &post.game.table.memory;
    memory.damage(game, EventSeq(2), |event| stood = std::mem::take(event));
    stood
}

fn mend(post: &Post, game: &GameId, stood: Vec<u8>) {
    let memory = &post.game.table.memory;
    memory.damage(game, EventSeq(2), |event| *event = stood);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_cannot_be_read_is_looked_at_less_and_less_often() {
    let post = Post::open().await;
    post.by_mail("Bert").await;
    let reef = other_game(&post).await;
    let stood = damage(&post, &reef);
    post.proposal("More rope").await;
    assert_eq!(post.round().await, 1, "what is to be told of others leaves");
    for wait in [5, 20] {
        let next = post.courier.until_next(true).await;
        assert_eq!(next, Duration::from_secs(wait));
        post.game.table.pass(Span::seconds(wait.cast_signed()));
        assert_eq!(post.round().await, 0);
    }
    mend(&post, &reef, stood);
    assert_eq!(post.round().await, 0, "it is left alone for a while");
    post.game.table.pass(Span::seconds(80));
    assert_eq!(post.round().await, 1);
    let subjects = post.mail.read(|mail| mail.subject().unwrap().to_owned());
    assert_eq!(subjects[1], "[The Reef] Anna asks to join");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_leaves_without_a_game_that_cannot_be_read_and_the_rest_follows() {
    let post = Post::open().await;
    let channel = post.by_mail("Bert").await;
    let hours = Hours {
        quiet: Some((Hour::new(9).unwrap(), Hour::new(17).unwrap())),
        ..Hours::default()
    };
    let set = post.outbox().set_hours(channel.account, &hours);
    set.await.unwrap();
    let reef = other_game(&post).await;
    post.proposal("More rope").await;
    assert_eq!(post.round().await, 0, "it is quiet");
    let stood = damage(&post, &reef);
    post.game.table.pass(Span::hours(8));
    assert_eq!(post.round().await, 1);
    assert_eq!(post.round().await, 0, "it is not tried again at once");
    mend(&post, &reef, stood);
    post.game.table.pass(Span::hours(1));
    assert_eq!(post.round().await, 1);
    let told = post.mail.read(|mail| {
        let id = mail.message_id().unwrap().to_owned();
        (mail.subject().unwrap().to_owned(), id)
    });
    assert_eq!(told[0].0, "[The Wilds] Your vote is wanted: More rope");
    assert_eq!(told[1].0, "[The Reef] Anna asks to join");
    assert_ne!(told[0].1, told[1].1, "nobody takes it for the same mail");
    let kept = post.outbox().channel(channel.id).await.unwrap().unwrap();
    assert_eq!((kept.failures, kept.held_until), (0, None));
}
