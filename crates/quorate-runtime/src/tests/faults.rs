//! Disks that fail, judges that panic or lie.

use quorate_kernel::Span;

use super::*;
use crate::ports::StoreError;

#[tokio::test]
async fn when_an_append_fails_its_senders_are_told_and_the_judge_goes_back() {
    let world = World::new().await;
    kept(world.plays("a", "add", 5).await);
    world.memory.fail_next(StoreError::Full);
    let failed = world.plays("b", "add", 7).await;
    assert_eq!(failed, Err(OperatingError::Store(StoreError::Full)));
    assert_eq!(world.count().await, 5);
    let receipt = kept(world.plays("b", "add", 7).await);
    assert_eq!((receipt.seq, world.count().await), (EventSeq(3), 12));
}

#[tokio::test]
async fn a_refusal_that_rested_on_a_failed_append_is_not_given() {
    let world = World::new().await;
    kept(world.plays("a", "add", 1).await);
    world.memory.fail_next(StoreError::Full);
    // These two wait together, so the second is judged on the first.
    let (added, refused) = tokio::join!(world.plays("b", "add", 9), world.plays("c", "low", 3));
    let full = Err(OperatingError::Store(StoreError::Full));
    assert_eq!((added, refused), (full.clone(), full));
    kept(world.plays("c", "low", 3).await);
}

#[tokio::test]
async fn due_things_wait_for_a_disk_that_is_full() {
    let world = World::new().await;
    let mut heard = world.games.subscribe(&world.reef);
    kept(world.plays("k", "ring", START_MS + 70).await);
    heard.recv().await.unwrap();
    world.memory.fail_next(StoreError::Full);
    world.clock.pass(Span(100));
    // The failed append leaves nothing behind that could be waited for but the next, which comes after its time.
    until(async || {
        world.clock.pass(Span(1_000));
        heard.len() == 1
    })
    .await;
    let due = heard.recv().await.unwrap();
    assert_eq!((due.seq, due.at), (EventSeq(3), Moment(START_MS + 70)));
}

#[tokio::test]
async fn a_log_that_moved_on_behind_the_writer_is_opened_again() {
    let world = World::new().await;
    let before = world.games.snapshot(&world.reef).await.unwrap();
    let acts = vec![plays("add", 40)];
    let (batch, _) = crate::testing::grown_batch(
        &world.reef,
        before.state.clone(),
        before.head,
        acts,
        "behind",
    );
    let mut batch = batch;
    // The clock of the tests' own log stands at the event's number, which is long past.
    batch.events[0].open = later(&batch.events[0].open);
    batch.head.hash = record::hash(&batch.events[0].open);
    batch.head.at = Moment(START_MS);
    world.memory.append(&[batch]).await.unwrap();
    let moved = world.plays("k", "add", 2).await;
    let reef = world.reef.clone();
    let head_moved = StoreError::HeadMoved { game: reef };
    assert_eq!(moved, Err(OperatingError::Store(head_moved)));
    kept(world.plays("k", "add", 2).await);
    assert_eq!(world.count().await, 42);
}

fn later(open: &[u8]) -> Vec<u8> {
    let mut event = record::decode(open).unwrap();
    event.at = Moment(START_MS);
    record::encode(&event).open
}

#[tokio::test]
async fn a_panic_ends_one_command_and_neither_the_game_nor_others() {
    let world = World::new().await;
    let moor = world.found("moor").await;
    world.memory.hold();
    let hold = world.plays("hold", "add", 1);
    let three = async {
        tokio::join!(
            world.plays("a", "add", 10),
            world.plays("b", "panic", 0),
            world.plays("c", "add", 100),
        )
    };
    let release = async { world.memory.let_through(99) };
    let (hold, (before, panicked, after), ()) = tokio::join!(hold, three, release);
    kept(hold);
    kept(before);
    assert_eq!(panicked, Err(OperatingError::Bug));
    kept(after);
    assert_eq!(world.count().await, 111);
    let elsewhere = world.games.send(&moor, anna(), "k".into(), plays("add", 1));
    kept(elsewhere.await);
}

#[tokio::test]
async fn an_event_that_does_not_fit_is_not_kept() {
    let world = World::new().await;
    kept(world.plays("a", "add", 1).await);
    assert_eq!(world.plays("b", "lie", 1).await, Err(OperatingError::Bug));
    kept(world.plays("c", "add", 1).await);
    assert_eq!((world.count().await, world.events().await.len()), (2, 3));
}

#[tokio::test]
async fn a_game_that_a_due_thing_breaks_stands_still_and_can_be_read() {
    for (action, events_more) in [("stuck", 0), ("again", 1)] {
        let world = World::new().await;
        let moor = world.found("moor").await;
        kept(world.plays("k", action, START_MS + 70).await);
        world.clock.pass(Span(100));
        let reef = world.reef.clone();
        let still = Err(OperatingError::StandsStill { game: reef });
        until(async || world.plays("k2", "add", 1).await == still).await;
        assert_eq!(world.count().await, 0);
        assert!(world.events().await.len() >= 2 + events_more);
        let elsewhere = world.games.send(&moor, anna(), "k".into(), plays("add", 1));
        kept(elsewhere.await);
        // It is tried again, and still does not go.
        world.clock.pass(Span::minutes(2));
        until(async || world.plays("k3", "add", 1).await == still).await;
    }
}

#[tokio::test]
async fn a_damaged_log_is_named_and_holds_up_no_other_game() {
    let world = World::new().await;
    let moor = world.found("moor").await;
    kept(world.plays("a", "add", 1).await);
    let world = world.restarted().await;
    world
        .memory
        .damage(&world.reef, EventSeq(2), |open| open[7] ^= 1);
    let error = world.games.snapshot(&world.reef).await.unwrap_err();
    assert!(matches!(error, OperatingError::Damaged { .. }), "{error}");
    assert!(world.plays("b", "add", 1).await.is_err());
    assert!(world.games.snapshot(&moor).await.is_ok());
}

#[tokio::test]
async fn a_law_in_a_later_language_is_refused_and_left_alone() {
    let world = World::new().await;
    kept(world.plays("a", "add", 1).await);
    kept(world.plays("b", "modern", 700).await);
    let world = world.restarted().await;
    let later = OperatingError::LaterEdition {
        game: world.reef.clone(),
        edition: 700,
    };
    let seen = world.games.snapshot(&world.reef).await.map(drop);
    assert_eq!(seen, Err(later.clone()));
    assert_eq!(world.plays("c", "add", 1).await, Err(later));
    world.games.close().await.unwrap();
    let settings = GamesSettings {
        edition_max: 700,
        ..GamesSettings::default()
    };
    let games = start(&world.memory, &world.clock, settings).await;
    let seen = games.snapshot(&world.reef).await.unwrap();
    assert_eq!(crate::testing::count(&seen.state), 1);
}
