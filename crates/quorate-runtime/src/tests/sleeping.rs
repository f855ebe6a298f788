//! Games that are out of use.

use quorate_kernel::Span;

use super::*;
use crate::testing::rings;

async fn asleep(world: &World) {
    world.clock.pass(GamesSettings::default().asleep_after);
    until(async || !world.games.is_awake(&world.reef)).await;
}

#[tokio::test]
async fn a_game_out_of_use_falls_asleep_and_a_command_wakes_it() {
    let world = World::new().await;
    kept(world.plays("a", "add", 5).await);
    asleep(&world).await;
    kept(world.plays("b", "add", 1).await);
    assert!(world.games.is_awake(&world.reef));
    assert_eq!(world.count().await, 6);
}

#[tokio::test]
async fn a_reader_wakes_a_game_and_keeps_it_awake() {
    let world = World::new().await;
    asleep(&world).await;
    assert_eq!(world.count().await, 0);
    let half = Span(GamesSettings::default().asleep_after.0 / 2);
    for _ in 0..3 {
        world.clock.pass(half);
        let before = world.games.snapshot(&world.reef).await.unwrap();
        assert_eq!(before.head.seq, EventSeq(1));
        assert!(world.games.is_awake(&world.reef));
    }
}

#[tokio::test]
async fn a_sleeping_game_wakes_when_something_falls_due_and_sleeps_again() {
    let world = World::new().await;
    let day = Span::days(1);
    let due = Moment(START_MS) + day;
    kept(world.plays("k", "ring", due.0).await);
    let mut heard = world.games.subscribe(&world.reef);
    asleep(&world).await;
    world.clock.pass(day);
    let notice = heard.recv().await.unwrap();
    assert_eq!((notice.seq, notice.at), (EventSeq(3), due));
    until(async || !world.games.is_awake(&world.reef)).await;
    let published = world.games.snapshot(&world.reef).await.unwrap();
    assert_eq!(rings(&published.state), 1);
}

#[tokio::test]
async fn what_falls_due_in_a_game_that_nobody_opened_since_the_start_happens_too() {
    let world = World::new().await;
    kept(world.plays("k", "ring", START_MS + 5_000).await);
    let world = world.restarted().await;
    let mut heard = world.games.subscribe(&world.reef);
    assert!(!world.games.is_awake(&world.reef));
    world.clock.pass(Span(6_000));
    assert_eq!(heard.recv().await.unwrap().at, Moment(START_MS + 5_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_is_lost_to_a_game_that_is_falling_asleep() {
    let settings = GamesSettings {
        asleep_after: Span(0),
        ..GamesSettings::default()
    };
    let world = Arc::new(World::with(settings).await);
    let mut senders = tokio::task::JoinSet::new();
    for sender in 0..4 {
        let world = Arc::clone(&world);
        senders.spawn(async move {
            for n in 0..50 {
                kept(world.plays(&format!("{sender} {n}"), "add", 1).await);
            }
        });
    }
    senders.join_all().await;
    assert_eq!(world.count().await, 200);
    assert_eq!(world.events().await.len(), 201);
}

#[tokio::test]
async fn snapshots_are_kept_as_the_log_grows_and_with_each_dynasty() {
    let settings = GamesSettings {
        snapshot_every: 5,
        ..GamesSettings::default()
    };
    let world = World::with(settings).await;
    let newest = async || {
        let newest = world
            .memory
            .snapshot_before(&world.reef, EventSeq(999))
            .await;
        newest.unwrap().map(|snapshot| snapshot.head.seq.0)
    };
    for n in 2..=5 {
        kept(world.plays(&format!("k{n}"), "add", 1).await);
    }
    until(async || newest().await == Some(5)).await;
    kept(world.plays("reign", "reign", 1).await);
    until(async || newest().await == Some(6)).await;
    kept(world.plays("more", "add", 1).await);
    assert_eq!(
        world.games.keep_snapshot(&world.reef).await,
        Ok(EventSeq(7))
    );
    assert_eq!(newest().await, Some(7));
    let world = world.restarted().await;
    assert_eq!(world.count().await, 5);
}

#[tokio::test]
async fn a_game_that_is_put_back_is_there_for_the_next_who_asks() {
    let world = World::new().await;
    let (games, reef) = (&world.games, &world.reef);
    assert!(games.set_removed(reef, true).await.unwrap());
    let release = world.memory.hold_next_row();
    let early = tokio::spawn({
        let (games, reef) = (games.clone(), reef.clone());
        async move { games.snapshot(&reef).await.map(drop) }
    });
    until(async || games.is_awake(reef)).await;
    settle().await;
    let next = tokio::spawn({
        let (games, reef) = (games.clone(), reef.clone());
        async move {
            assert!(games.set_removed(&reef, false).await.unwrap());
            games.snapshot(&reef).await.map(drop)
        }
    });
    settle().await;
    // Whoever came while there was no game hears of none only now.
    release.send(()).unwrap();
    let early = early.await.unwrap().unwrap_err();
    assert!(matches!(early, OperatingError::NoGame(_)), "{early}");
    next.await.unwrap().unwrap();
}

/// Lets everybody come as far as they can.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}
