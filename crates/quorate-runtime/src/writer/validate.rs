//! What a judge answers is checked like a stranger's input before it is kept.

use quorate_kernel::command::Command;
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::state::{Mismatch, State};

use crate::judge::Head;
use crate::ports::Stored;

/// How an event that a judge gave is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum InvalidEvent {
    #[error("the event does not come right after the last one")]
    Place,
    #[error("the event is not about the command that was judged")]
    Command,
    #[error(transparent)]
    Effect(#[from] Mismatch),
    #[error("the event has {0} bytes, and {max} are the limit", max = record::EVENT_BYTES_MAX)]
    Size(usize),
}

/// Takes an event into the writer's own state, if it fits; else nothing changes.
pub(crate) fn validate(
    ahead: &mut State,
    head: &mut Head,
    command: &Command,
    event: &Event,
) -> Result<Stored, InvalidEvent> {
    // Invariant: the same three are checked when the event is read again, by `fold::Chain`.
    if event.seq != head.seq.next() || event.previous != head.hash || event.at < head.at {
        return Err(InvalidEvent::Place);
    }
    let same = event.at == command.at
        && event.command().actor == command.actor
        && event.key == command.key
        && event.act.name() == command.act.name();
    if !same {
        return Err(InvalidEvent::Command);
    }
    let record = record::encode(event);
    if record.open.len() > record::EVENT_BYTES_MAX {
        return Err(InvalidEvent::Size(record.open.len()));
    }
    ahead.apply_all(event.steps.iter().map(|step| &step.effect))?;
    *head = Head {
        seq: event.seq,
        hash: record::hash(&record.open),
        at: event.at,
    };
    Ok(Stored {
        seq: event.seq,
        // Known here also where the open part hides it.
        actor: command.actor,
        key: event.key.clone(),
        open: record.open,
        seals: record.seals,
    })
}
