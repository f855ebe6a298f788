//! Chain, fold and judgement.

use quorate_kernel::digest::Digest;
use quorate_kernel::state::State;

use super::*;
use crate::fault::{LogFault, Wrong};
use crate::fold::{snapshot_of, state_at};
use crate::judge::Head;
use crate::testing::count;
use crate::verify::{Grade, Rejudge, Verification, VerifyProgress, verify};

async fn played() -> World {
    let world = World::new().await;
    for n in 0..4 {
        kept(world.plays(&format!("k{n}"), "add", 1).await);
    }
    kept(world.plays("s", "say", 1).await);
    world
}

async fn verdict(world: &World, grade: Grade) -> Verification {
    let (memory, reef) = (&*world.memory, &world.reef);
    verify(memory, memory, reef, grade, &mut |_| {})
        .await
        .unwrap()
}

#[tokio::test]
async fn an_untouched_game_holds_at_every_grade_and_progress_is_told() {
    let world = played().await;
    let published = world.games.snapshot(&world.reef).await.unwrap();
    let mut told = Vec::new();
    let (memory, reef) = (&*world.memory, &world.reef);
    let mut note = |progress| told.push(progress);
    let folded = verify(memory, memory, reef, Grade::Fold, &mut note)
        .await
        .unwrap();
    assert!(folded.holds());
    assert_eq!(
        (folded.head, folded.state),
        (published.head, Some(published.state.digest()))
    );
    let end = EventSeq(6);
    assert_eq!(told, [VerifyProgress { done: end, of: end }]);
    let chained = verdict(&world, Grade::Chain).await;
    assert!(chained.holds());
    assert_eq!(chained.state, None);
}

#[tokio::test]
async fn a_changed_event_is_found_where_it_stands() {
    let world = played().await;
    world.memory.damage(&world.reef, EventSeq(3), |open| {
        let mut event = record::decode(open).unwrap();
        event.notes.clear();
        event.at = Moment(event.at.0 + 1);
        *open = record::encode(&event).open;
    });
    let found = verdict(&world, Grade::Chain).await.fault;
    let what = Wrong::Link;
    assert_eq!(
        found,
        Some(LogFault {
            seq: EventSeq(4),
            what
        })
    );
}

#[tokio::test]
async fn the_last_event_cannot_be_changed_or_cut_off_unnoticed() {
    let world = played().await;
    world.memory.damage(&world.reef, EventSeq(6), |open| {
        let mut event = record::decode(open).unwrap();
        event.law = Digest::of(b"another law");
        *open = record::encode(&event).open;
    });
    let found = verdict(&world, Grade::Fold).await.fault;
    assert_eq!(found.map(|fault| fault.what), Some(Wrong::End));
}

#[tokio::test]
async fn effects_that_do_not_fit_are_found_by_folding_and_not_by_the_chain() {
    let world = World::new().await;
    let published = world.games.snapshot(&world.reef).await.unwrap();
    // An event that follows well, whose effect speaks of a state that never was.
    let elsewhere = Head {
        seq: EventSeq(1),
        ..published.head
    };
    let mut state = published.state.clone();
    let (rich, _) = {
        let (batch, grown) = crate::testing::grown_batch(
            &world.reef,
            state,
            Head::START,
            vec![plays("add", 7)],
            "x",
        );
        state = grown;
        (state.clone(), batch)
    };
    let (mut batch, _) =
        crate::testing::grown_batch(&world.reef, rich, elsewhere, vec![plays("add", 1)], "y");
    let mut event = record::decode(&batch.events[0].open).unwrap();
    event.at = published.head.at;
    batch.events[0].open = record::encode(&event).open;
    batch.head.hash = record::hash(&batch.events[0].open);
    batch.head.at = event.at;
    world.memory.append(&[batch]).await.unwrap();
    assert!(verdict(&world, Grade::Chain).await.holds());
    let fault = verdict(&world, Grade::Fold).await.fault.unwrap();
    assert!(matches!(fault.what, Wrong::Effect(_)), "{fault}");
}

#[tokio::test]
async fn a_snapshot_that_lies_is_found() {
    let world = played().await;
    let (state, head) = {
        let (memory, reef) = (&*world.memory, &world.reef);
        state_at(memory, memory, reef, EventSeq(4)).await.unwrap()
    };
    assert_eq!(count(&state), 3);
    world
        .memory
        .put_snapshot(&world.reef, &snapshot_of(&state, head))
        .await
        .unwrap();
    assert!(verdict(&world, Grade::Fold).await.holds());
    let lie = snapshot_of(&State::default(), head);
    world.memory.put_snapshot(&world.reef, &lie).await.unwrap();
    let fault = verdict(&world, Grade::Fold).await.fault;
    let what = Wrong::Snapshot;
    assert_eq!(
        fault,
        Some(LogFault {
            seq: EventSeq(4),
            what
        })
    );
}

/// Finds fault with every page, and with the state before it.
struct Grumbler;

impl Rejudge for Grumbler {
    fn rejudge(&mut self, before: &State, event: &Event) -> Result<(), String> {
        let mut words = Vec::new();
        let mut event = event.clone();
        event.each_seal(&mut |seal| {
            if let quorate_kernel::sealing::SealMut::Text(text) = seal {
                words.push(text.as_str().to_owned());
            }
        });
        match words.first() {
            Some(said) if said.starts_with("said") => Err(format!("{said} at {}", count(before))),
            _ => Ok(()),
        }
    }
}

#[tokio::test]
async fn judging_again_sees_the_state_before_and_lists_what_differs() {
    let world = played().await;
    let verdict = verdict(&world, Grade::Judgement(Box::new(Grumbler))).await;
    assert_eq!((verdict.holds(), verdict.difference_count), (false, 1));
    let what = Wrong::Judgement("said 1 at 4".to_owned());
    assert_eq!(
        verdict.differences,
        [LogFault {
            seq: EventSeq(6),
            what
        }]
    );
    assert_eq!(verdict.fault, None);
}
