//! What leaves the server by itself tells nobody what they may not know.

use std::collections::BTreeMap;

use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{ChannelAudience, ChannelSort, Followed, Interest, NewChannel};
use quorate_server::{Courier, ServerConfig};
use serde_json::Value as Json;

use super::world::{Ball, GAME, PLAYERS, Secrets, THESE, THOSE};
use crate::notices::stand_in::WebServer;

/// Everybody follows everybody and hears of everything at once; so does a room. Gives what each was told, by name.
async fn told(secrets: Secrets) -> BTreeMap<String, Vec<Json>> {
    let web = WebServer::start().await;
    let config = ServerConfig {
        address: Some("https://nomic.example".to_owned()),
        hooks_to_loopback: true,
        ..ServerConfig::default()
    };
    let ball = Ball::at(config, secrets).await;
    let deps = &ball.table.site().deps;
    let outbox = deps.outbox.as_ref().unwrap();
    let game: quorate_kernel::GameId = GAME.parse().unwrap();
    for name in PLAYERS {
        let account = deps
            .accounts
            .account_by_name(name)
            .await
            .unwrap()
            .unwrap()
            .id;
        let mut channel = NewChannel {
            account,
            audience: ChannelAudience::ALL,
            sort: ChannelSort::Webhook,
            address: format!("{}/{name}", web.address),
            secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned(),
            made_at: ball.table.site().now(),
            confirmed_at: Some(ball.table.site().now()),
        };
        outbox.make_channel(&channel).await.unwrap();
        if name == PLAYERS[0] {
            channel.audience = ChannelAudience::Room(game.clone(), NoticeKind::of_rooms().to_vec());
            channel.address = format!("{}/room", web.address);
            outbox.make_channel(&channel).await.unwrap();
        }
        for kind in NoticeKind::all() {
            outbox
                .choose(account, None, kind, Pace::AtOnce)
                .await
                .unwrap();
        }
        let people = ball
            .people
            .iter()
            .map(|word| word.replace("player:", "person:"));
        let posts = ball.posts.iter().map(|id| format!("post:{id}"));
        for what in people.chain(posts) {
            let what: Followed = what.parse().unwrap();
            let follows = Some(Interest::Follows);
            outbox
                .take_interest(account, &game, &what, follows)
                .await
                .unwrap();
        }
    }
    let courier = Courier::new(ball.table.site()).unwrap();
    while courier.round().await.unwrap() > 0 {}
    let mut told: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for came in web.came() {
        let name = came.path.trim_start_matches('/').to_owned();
        told.entry(name)
            .or_default()
            .push(came.json()["data"].clone());
    }
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn no_notice_tells_what_its_reader_may_not_know() {
    let (these, those) = (told(THESE).await, told(THOSE).await);
    for reader in ["Anna", "Dan", "Ed", "Fay", "room"] {
        let (one, other) = (&these[reader], &those[reader]);
        let text = serde_json::to_string(one).unwrap();
        for marker in THESE.markers() {
            assert!(
                !text.contains(&marker),
                "{reader} was told {marker}: {one:#?}"
            );
        }
        assert_eq!(one, other, "{reader} can tell the two games apart");
    }
    let letter = serde_json::to_string(&these["Cora"]).unwrap();
    assert!(
        letter.contains(THESE.letter),
        "Cora hears of the letter to her: {letter}"
    );
}
