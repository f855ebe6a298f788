//! Rulings: which events of a game's history are struck or upheld, and what that comes to.

use std::collections::BTreeSet;

use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Id, Refusal};

/// The events that a ruling names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NamedRuling {
    /// Those that are taken out of history.
    pub strike: BTreeSet<EventSeq>,
    /// Those that stand as they are in the log, whatever the law would say on the line.
    pub uphold: BTreeSet<EventSeq>,
}

/// What became of an event on the line of a ruling.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// The ruling strikes it.
    Struck,
    /// The ruling upholds it.
    Upheld,
    /// It is done there too, and comes to something else.
    Differs,
    /// The law refuses it there, so that it is struck too.
    Refused(Box<Refusal>),
    /// It was refused there, or can no longer be judged, and stands as a matter's closing does.
    Stands,
    /// It asks something there that nobody was asked.
    Waits,
}

impl Fate {
    /// The fate in a word or two, for the log.
    pub fn word(&self) -> String {
        match self {
            Self::Struck => "struck".to_owned(),
            Self::Upheld => "upheld".to_owned(),
            Self::Differs => "comes to something else".to_owned(),
            Self::Refused(refusal) => format!("struck too, for it {refusal}"),
            Self::Stands => "stands as it was".to_owned(),
            Self::Waits => "waits for an answer".to_owned(),
        }
    }
}

/// What a ruling comes to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ruling {
    /// What it changes: the differences of the two lines at their end.
    pub effects: Vec<Effect>,
    /// The claims that upheld events made, which are settled by that.
    pub settled: Vec<Id>,
    /// What became of the events whose lot is another than in the log, oldest first.
    pub fates: Vec<(EventSeq, Fate)>,
}
