//! Batches of a counting game's events, made without a writer.

use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::record;
use quorate_kernel::state::State;
use quorate_kernel::{GameId, Moment};

use super::counter::{Counters, founding};
use crate::judge::{GameJudge, Head, Judged, Judges};
use crate::ports::{Batch, Epoch, Stored};

/// The batch that founds a game, by its first owner.
pub fn found_batch(game: &GameId) -> Batch {
    let founding = vec![Act::Found(Box::new(founding()))];
    batch(game, State::default(), Head::START, founding, "found")
}

/// The batch of these acts, by one player, after a log that makes `state` and ends at `after`. Gives the state as
/// well. The keys of the commands are `key`, a blank and the event's number.
pub fn grown_batch(
    game: &GameId,
    state: State,
    after: Head,
    acts: Vec<Act>,
    key: &str,
) -> (Batch, State) {
    let mut judge = Counters.open(game, state, after);
    let batch = batch_by(&mut *judge, game, after, acts, key);
    (batch, judge.state().clone())
}

fn batch(game: &GameId, state: State, after: Head, acts: Vec<Act>, key: &str) -> Batch {
    let mut judge = Counters.open(game, state, after);
    batch_by(&mut *judge, game, after, acts, key)
}

fn batch_by(
    judge: &mut dyn GameJudge,
    game: &GameId,
    after: Head,
    acts: Vec<Act>,
    key: &str,
) -> Batch {
    let secret = [1; 32];
    let mut events = Vec::new();
    for act in acts {
        let seq = judge.head().seq.next();
        let player = PlayerId(Id::new(EventSeq(1), 0));
        let mut command = Command {
            at: Moment(i64::try_from(seq.0).unwrap_or(i64::MAX)),
            actor: Actor::Player(player),
            key: format!("{key} {seq}").into(),
            act,
        };
        command.seal(command.closed_seed(&secret));
        let Judged::Event(event) = judge.judge(&command, &secret) else {
            panic!("the counting game refused {command:?}");
        };
        let record = record::encode(&event);
        events.push(Stored {
            seq,
            actor: event.actor,
            key: event.key.clone(),
            open: record.open,
            seals: record.seals,
        });
    }
    Batch {
        game: game.clone(),
        epoch: Epoch(1),
        after,
        events,
        head: judge.head(),
        next_due: judge.next_due(),
        arrival: None,
    }
}
