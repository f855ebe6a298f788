//! A receiver that says nothing holds up itself alone.

use std::time::Duration;

use quorate_notices::outbox::{ChannelAudience, ChannelSort, LetterStanding, OutboxLetter};
use quorate_server::Courier;
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
