//! What the world sees of a game's writer.

use quorate_kernel::digest::Digest;
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment, Name, Refusal};

use crate::judge::Head;

/// The newest state of a game that is on disk. Readers share it and never wait for the writer.
#[derive(Clone, Debug)]
pub struct Published {
    /// Which game.
    pub game: GameId,
    /// What it holds.
    pub state: State,
    /// The last event in it.
    pub head: Head,
}

/// A command is on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// The event it became.
    pub seq: EventSeq,
    /// When that was.
    pub at: Moment,
    /// What came of it.
    pub outcome: Outcome,
    /// How many bytes were written for it now; none where it was there before.
    pub written: u64,
}

impl Receipt {
    /// Of an event that was there before.
    pub(crate) fn of(event: &Event) -> Self {
        Self {
            seq: event.seq,
            at: event.at,
            outcome: event.outcome.clone(),
            written: 0,
        }
    }
}

/// How the law answered a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It became an event, which is on disk. The same key gets the same receipt however often it comes; only
    /// the first says what was written.
    Kept(Receipt),
    /// It was refused, and nothing is kept of it.
    Refused(Refusal),
}

impl Answer {
    /// The receipt, if the command became an event.
    pub fn receipt(&self) -> Option<&Receipt> {
        match self {
            Self::Kept(receipt) => Some(receipt),
            Self::Refused(_) => None,
        }
    }
}

/// Something happened in a game and is on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// In which game.
    pub game: GameId,
    /// The event.
    pub seq: EventSeq,
    /// When.
    pub at: Moment,
    /// What was done, as guards and the log know it.
    pub act: Name,
    /// The tables of the state that it touched, each once.
    pub tables: Vec<&'static str>,
    /// The event's hash, which names this state of the game for whoever keeps answers.
    pub hash: Digest,
}

impl Notice {
    pub(crate) fn of(game: &GameId, event: &Event, hash: Digest) -> Self {
        let mut tables: Vec<_> = event.steps.iter().map(|s| s.effect.table()).collect();
        tables.sort_unstable();
        tables.dedup();
        Self {
            game: game.clone(),
            seq: event.seq,
            at: event.at,
            act: event.act.name(),
            tables,
            hash,
        }
    }
}
