//! What falls due, and downtime.

use quorate_kernel::Span;
use quorate_kernel::command::Act;

use super::*;
use crate::testing::rings;

#[tokio::test]
async fn what_is_due_happens_by_itself_at_its_own_moment() {
    let world = World::new().await;
    let mut heard = world.games.subscribe(&world.reef);
    kept(world.plays("k", "ring", START_MS + 70).await);
    heard.recv().await.unwrap();
    world.clock.pass(Span(500));
    let notice = heard.recv().await.unwrap();
    assert_eq!(
        (notice.act.as_str(), notice.at),
        ("due", Moment(START_MS + 70))
    );
    let published = world.games.snapshot(&world.reef).await.unwrap();
    assert_eq!(rings(&published.state), 1);
}

#[tokio::test]
async fn what_is_due_comes_before_a_later_command_as_an_event_of_its_own() {
    let world = World::new().await;
    kept(world.plays("k", "ring", START_MS + 70).await);
    world.memory.hold();
    let first = world.plays("first", "add", 1);
    let rest = async {
        world.clock.pass(Span(500));
        let second = world.plays("second", "add", 1);
        world.memory.let_through(99);
        kept(second.await)
    };
    let (first, second) = tokio::join!(first, rest);
    kept(first);
    assert_eq!(second.at, Moment(START_MS + 500));
    let events = world.events().await;
    let due = events.iter().find(|e| matches!(e.act, Act::Due { .. }));
    let due = due.unwrap();
    assert_eq!((due.at, due.actor), (Moment(START_MS + 70), Actor::Game));
    assert!(due.seq < second.seq);
    assert!(events.is_sorted_by_key(|e| e.at));
}

#[tokio::test]
async fn a_due_moment_that_a_command_sets_into_the_past_happens_at_once() {
    let world = World::new().await;
    let mut heard = world.games.subscribe(&world.reef);
    kept(world.plays("k", "ring", START_MS - 70).await);
    heard.recv().await.unwrap();
    let due = heard.recv().await.unwrap();
    assert_eq!((due.seq, due.at), (EventSeq(3), Moment(START_MS)));
}

#[tokio::test]
async fn downtime_comes_between_what_was_due_before_its_end_and_after() {
    let world = World::new().await;
    kept(world.plays("k1", "ring", START_MS + 1_000).await);
    world.games.close().await.unwrap();
    world.clock.pass(Span::minutes(10));
    let games = start(&world.memory, &world.clock, GamesSettings::default()).await;
    let world = World { games, ..world };
    kept(world.plays("k2", "add", 1).await);
    let events: Vec<_> = world
        .events()
        .await
        .iter()
        .skip(2)
        .map(|e| (e.act.name().to_string(), e.at.0 - START_MS))
        .collect();
    let expected = [("due", 1_000), ("downtime", 600_000), ("add", 600_000)];
    assert_eq!(events, expected.map(|(act, at)| (act.to_owned(), at)));
    let Act::Downtime { since } = world.events().await[3].act else {
        panic!("the fourth event is the downtime");
    };
    assert_eq!(since, Moment(START_MS));
}

#[tokio::test]
async fn a_game_is_told_of_a_downtime_once() {
    let world = World::new().await;
    world.games.close().await.unwrap();
    world.clock.pass(Span::minutes(10));
    let World {
        memory,
        clock,
        reef,
        ..
    } = world;
    for round in 0..2 {
        let games = start(&memory, &clock, GamesSettings::default()).await;
        let key = format!("k{round}").into();
        kept(games.send(&reef, anna(), key, plays("add", 1)).await);
        games.close().await.unwrap();
    }
    let events = memory.events(&reef, EventSeq(1), 99).await.unwrap();
    let acts: Vec<_> = events
        .iter()
        .map(|open| record::decode(open).unwrap().act.name().to_string())
        .collect();
    assert_eq!(acts, ["found", "downtime", "add", "add"]);
}

#[tokio::test]
async fn a_short_stop_is_no_downtime() {
    let world = World::new().await;
    world.games.close().await.unwrap();
    world.clock.pass(Span(59_000));
    let games = start(&world.memory, &world.clock, GamesSettings::default()).await;
    kept(
        games
            .send(&world.reef, anna(), "k".into(), plays("add", 1))
            .await,
    );
    assert_eq!(world.events().await.len(), 2);
}

#[tokio::test]
async fn more_than_one_round_of_due_things_all_happen_before_the_command() {
    let world = World::new().await;
    // Each ring is set and rings on the spot, so the log holds two events for each.
    for n in 0..300 {
        kept(world.plays(&format!("k{n}"), "ring", START_MS - 1).await);
    }
    let last = kept(world.plays("last", "add", 1).await);
    assert_eq!(last.seq, EventSeq(602));
}

#[tokio::test]
async fn downtime_that_a_full_disk_would_not_take_is_noted_later() {
    let world = World::new().await;
    world.games.close().await.unwrap();
    world.clock.pass(Span::minutes(10));
    let games = start(&world.memory, &world.clock, GamesSettings::default()).await;
    world.memory.fail_next(crate::ports::StoreError::Full);
    let sent = games.send(&world.reef, anna(), "k".into(), plays("add", 1));
    assert!(sent.await.is_err());
    let sent = games.send(&world.reef, anna(), "k".into(), plays("add", 1));
    assert_eq!(kept(sent.await).seq, EventSeq(3));
    assert_eq!(world.events().await[1].act.name(), "downtime");
}
