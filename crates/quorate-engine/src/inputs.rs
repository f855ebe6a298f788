//! What a judgement takes besides state, law and command, and what it leaves.

use std::collections::VecDeque;
use std::sync::Arc;

use quorate_kernel::event::Event;
use quorate_kernel::rows::CellKey;
use quorate_kernel::tape::Tape;
use quorate_kernel::{PostId, Refusal};
use quorate_law::budget::Cost;
use quorate_law::datum::Datum;

/// What a decision depends on besides state, law and command.
#[derive(Default)]
pub struct Inputs<'a> {
    /// The secret under which this game's seeds are derived.
    pub secret: [u8; 32],
    /// Events of the past that the command is about: the one that is undone, or for a ruling all.
    pub past: &'a [Event],
    /// Dice and choices dictated beforehand, by tests and previews.
    pub dictated: Dictated,
    /// A tape to judge by instead of the seed: the event is judged again.
    pub tape: Option<&'a Tape>,
    /// Dice and choices that are known already, for what is rolled and asked again; what they leave open, the seed says.
    pub known: Option<&'a Tape>,
    /// Whether this is a line of history other than the log's: what the log does not know of falls apart from its dice.
    pub on_another_line: bool,
    /// How many things were made under the event's number before.
    pub made: u16,
    /// Whether what the law needs counts as met until a matter is enacted or the first hook runs: what would happen once it
    /// is. What was not met is left in [`Remains::unmet`].
    pub as_if_met: bool,
}

/// Dictated results of dice, and choices, in the order in which they are taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dictated {
    /// What the next dice show.
    pub dice: VecDeque<i64>,
    /// What the next questions are answered with.
    pub choices: VecDeque<Datum>,
}

/// A condition of a patch that does not hold, or could not be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetCondition {
    /// What is asked.
    pub test: Arc<str>,
    /// Which line of the event's log says so.
    pub note: usize,
}

/// A value that a matter sets, as it says.
#[derive(Clone)]
pub(crate) struct SaidValue {
    /// Which value.
    pub(crate) key: CellKey,
    /// The change in a few words.
    pub(crate) change: String,
    /// What it was.
    pub(crate) before: Datum,
    /// What it is to be.
    pub(crate) said: Datum,
}

/// What a judgement leaves to the next one, whatever came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remains {
    /// What was dictated and not used.
    pub dictated: Dictated,
    /// What was dictated and cannot be: a number that the die does not have, or a choice that was not offered. The
    /// judgement went on as if nothing had been dictated there.
    pub misfit: Option<String>,
    /// How many things were made under the event's number by now.
    pub made: u16,
    /// What was needed and counted as met though it was not, in the order in which it was asked for.
    pub unmet: Vec<Refusal>,
    /// The posts whose changes were made.
    pub enacted: Vec<PostId>,
    /// The conditions of patches that do not hold, in the order in which they were asked.
    pub unmet_conditions: Vec<UnmetCondition>,
    /// Which lines of the event's log say what the law loses: code that falls asleep, and names that went.
    pub losses: Vec<usize>,
    /// What rule code used.
    pub used: Cost,
}
