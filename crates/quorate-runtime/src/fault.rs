//! Where and how a log does not hold together.

use quorate_kernel::EventSeq;
use quorate_kernel::record::Unreadable;
use quorate_kernel::state::Mismatch;

/// Where a log does not hold together, and how.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("event {seq}: {what}")]
pub struct LogFault {
    /// At which event.
    pub seq: EventSeq,
    /// What is wrong there.
    pub what: Wrong,
}

/// What is wrong with an event.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(#[from] Unreadable),
    /// It has another number than its place.
    #[error("it calls itself event {0}")]
    Number(EventSeq),
    /// It does not name the hash of the one before.
    #[error("it does not follow from the event before")]
    Link,
    /// It is earlier than the one before.
    #[error("it is earlier than the event before")]
    Time,
    /// Its effects do not fit the state.
    #[error("{0}")]
    Effect(#[from] Mismatch),
    /// The log ends elsewhere than the store has noted.
    #[error("the log ends here, and not as the store has noted")]
    End,
    /// A snapshot differs from the state that the log makes.
    #[error("the snapshot taken here is not the state that the log makes")]
    Snapshot,
    /// Judged again, it comes out otherwise.
    #[error("judged again, it comes out otherwise: {0}")]
    Judgement(String),
    /// It shows a key for dice, and not all is as that key has it.
    #[error("{0}")]
    Dice(String),
}
