//! Commands, receipts and what readers see.

use quorate_kernel::Refusal;
use quorate_kernel::command::typed;

use super::*;
use crate::ports::StoreError;
use crate::testing::count;

#[tokio::test]
async fn a_command_is_acknowledged_and_shown_only_when_it_is_on_disk() {
    let world = World::new().await;
    world.memory.hold();
    let sent = world.plays("k", "add", 5);
    tokio::pin!(sent);
    for _ in 0..1_000 {
        assert!(
            futures_poll(&mut sent).await.is_none(),
            "nothing is on disk yet"
        );
    }
    assert_eq!(world.count().await, 0);
    world.memory.let_through(1);
    let receipt = kept(sent.await);
    assert_eq!((receipt.seq, receipt.at), (EventSeq(2), Moment(START_MS)));
    assert_eq!(world.count().await, 5);
}

/// Polls a future once and lets others run.
async fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = future => Some(output),
        () = tokio::task::yield_now() => None,
    }
}

#[tokio::test]
async fn the_same_key_gets_the_first_receipt() {
    let world = World::new().await;
    let first = kept(world.plays("k", "add", 5).await);
    assert!(first.written > 0);
    // What was written is told once.
    let first = Receipt {
        written: 0,
        ..first
    };
    assert_eq!(kept(world.plays("k", "add", 5).await), first);
    let world = world.restarted().await;
    assert_eq!(kept(world.plays("k", "add", 77).await), first);
    assert_eq!(world.count().await, 5);
    let reef = world.reef.clone();
    let other = world
        .games
        .send(&reef, Actor::Operator, "k".into(), plays("add", 1));
    assert_ne!(
        kept(other.await).seq,
        first.seq,
        "another actor's key is another key"
    );
}

#[tokio::test]
async fn two_of_one_key_that_wait_together_count_once() {
    let world = World::new().await;
    world.memory.hold();
    // While the first sits in its append, the two others wait and are judged in one round.
    let first = world.plays("first", "add", 1);
    let (twice, again) = (world.plays("k", "add", 5), world.plays("k", "add", 5));
    let release = async { world.memory.let_through(9) };
    let (first, twice, again, ()) = tokio::join!(first, twice, again, release);
    kept(first);
    let (twice, again) = (kept(twice), kept(again));
    assert!(twice.written > 0);
    let known = Receipt {
        written: 0,
        ..twice
    };
    assert_eq!(again, known);
    assert_eq!(world.count().await, 6);
}

#[tokio::test]
async fn a_refusal_is_no_event_and_its_key_is_judged_again() {
    let world = World::new().await;
    kept(world.plays("a", "add", 5).await);
    let refused = world.plays("k", "low", 3).await.unwrap();
    assert_eq!(refused, Answer::Refused(Refusal::plain("a low count")));
    kept(world.plays("b", "add", -5).await);
    assert_eq!(kept(world.plays("k", "low", 3).await).seq, EventSeq(4));
}

#[tokio::test]
async fn a_clock_that_goes_back_does_not_take_the_log_with_it() {
    let world = World::new().await;
    world.clock.set(Moment(START_MS - 500));
    let receipt = kept(world.plays("k", "add", 1).await);
    assert_eq!(receipt.at, Moment(START_MS));
}

#[tokio::test]
async fn a_game_is_founded_once_and_its_founder_may_ask_twice() {
    let world = World::new().await;
    let again = world
        .games
        .found(&world.reef, Actor::Operator, "found".into(), founding());
    assert_eq!(kept(again.await).seq, EventSeq(1));
    let other = world
        .games
        .found(&world.reef, Actor::Operator, "other".into(), founding());
    let reef = world.reef.clone();
    let exists = StoreError::GameExists { game: reef };
    assert_eq!(other.await, Err(OperatingError::Store(exists)));
}

#[tokio::test]
async fn a_founding_that_is_refused_leaves_no_game() {
    let world = World::new().await;
    let mut nameless = founding();
    nameless.title.clear();
    let moor = game("moor");
    let found = async |founding| {
        let key = "found".into();
        world
            .games
            .found(&moor, Actor::Operator, key, founding)
            .await
    };
    let refused = found(nameless).await.unwrap();
    assert_eq!(refused, Answer::Refused(Refusal::plain("a title")));
    let read = world.games.snapshot(&moor).await;
    assert_eq!(read.err(), Some(OperatingError::NoGame(moor.clone())));
    assert_eq!(kept(found(founding()).await).seq, EventSeq(1));
}

#[tokio::test]
async fn a_command_for_no_game_or_without_a_key_says_so() {
    let world = World::new().await;
    let moor = game("moor");
    let sent = world.games.send(&moor, anna(), "k".into(), plays("add", 1));
    assert_eq!(sent.await, Err(OperatingError::NoGame(moor)));
    for key in [String::new(), "k".repeat(129)] {
        let refused = world.plays(&key, "add", 1).await.unwrap();
        assert!(matches!(refused, Answer::Refused(_)), "{key}");
    }
    let reef = world.reef.clone();
    let game_itself = world
        .games
        .send(&reef, Actor::Game, "k".into(), plays("add", 1));
    assert!(matches!(game_itself.await, Ok(Answer::Refused(_))));
}

#[tokio::test]
async fn listeners_hear_what_happened_after_it_is_on_disk() {
    let world = World::new().await;
    let mut reef = world.games.subscribe(&world.reef);
    let mut all = world.games.subscribe_all();
    let moor = world.found("moor").await;
    kept(world.plays("k", "add", 1).await);
    let notice = reef.recv().await.unwrap();
    assert_eq!((&notice.game, notice.seq), (&world.reef, EventSeq(2)));
    assert_eq!(
        (notice.act.as_str(), &notice.tables[..]),
        ("add", &["cells"][..])
    );
    let published = world.games.snapshot(&world.reef).await.unwrap();
    assert_eq!(
        (published.head.seq, published.head.hash),
        (notice.seq, notice.hash)
    );
    assert_eq!(all.recv().await.unwrap().game, moor);
    assert_eq!(all.recv().await.unwrap(), notice);
}

#[tokio::test]
async fn a_readers_snapshot_does_not_move_on() {
    let world = World::new().await;
    let before = world.games.snapshot(&world.reef).await.unwrap();
    kept(world.plays("k", "add", 1).await);
    assert_eq!((count(&before.state), before.head.seq), (0, EventSeq(1)));
}

#[tokio::test]
async fn words_are_sealed_under_the_commands_own_salt_and_can_be_forgotten() {
    let world = World::new().await;
    kept(world.plays("k", "say", 1).await);
    let page = |published: &crate::Published| {
        let page = published.state.pages.values().next().cloned();
        page.unwrap().text
    };
    let text = page(&world.games.snapshot(&world.reef).await.unwrap());
    assert_eq!(text.as_str(), "said 1");
    assert_ne!(text.digest(), typed("said 1").digest());
    let forgotten = world.games.forget(&world.reef, &[text.digest()]).await;
    assert_eq!(forgotten, Ok(1));
    let forgotten = page(&world.games.snapshot(&world.reef).await.unwrap());
    assert_eq!(
        (forgotten.as_str(), forgotten.digest()),
        ("", text.digest())
    );
    kept(world.plays("k2", "add", 1).await);
}

#[tokio::test]
async fn a_server_that_is_started_again_goes_on_where_it_was() {
    let world = World::new().await;
    kept(world.plays("k", "add", 5).await);
    kept(world.plays("s", "say", 5).await);
    let before = world.games.snapshot(&world.reef).await.unwrap();
    let world = world.restarted().await;
    let after = world.games.snapshot(&world.reef).await.unwrap();
    assert_eq!((after.head, &after.state), (before.head, &before.state));
    assert_eq!(kept(world.plays("k2", "add", 1).await).seq, EventSeq(4));
}

#[tokio::test]
async fn closing_finishes_what_waits_and_lets_nobody_in() {
    let world = World::new().await;
    world.memory.hold();
    let sent = world.plays("k", "add", 5);
    let close = async {
        tokio::task::yield_now().await;
        world.memory.let_through(9);
        world.games.close().await
    };
    let (sent, closed) = tokio::join!(sent, close);
    kept(sent);
    assert_eq!(closed, Ok(()));
    assert_eq!(
        world.plays("k2", "add", 5).await,
        Err(OperatingError::Closing)
    );
    assert_eq!(world.memory.last_beat().await, Ok(Some(Moment(START_MS))));
}
