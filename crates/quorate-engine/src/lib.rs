//! Decides what a command does to a game, and answers every question about it: what may be done, what would happen,
//! how a matter stands, what an undo would touch.
//!
//! Nothing here reads a clock, rolls a die or does I/O: state, law, command and dice come in, effects go out.

#![allow(
    clippy::format_push_string,
    clippy::needless_pass_by_value,
    clippy::single_match_else,
    clippy::similar_names,
    clippy::match_same_arms,
    clippy::assigning_clones,
    reason = "lines of a log are put together piece by piece, and an arm a case reads as the table it is"
)]
#![allow(
    clippy::too_many_lines,
    reason = "functions that only tell the cases of one sum apart are long because the sum is wide; tidy tells of them"
)]

pub mod ask;
pub mod changes;
pub mod conventions;
pub mod convert;
pub mod decide;
pub mod fields;
pub mod history;
pub mod icons;
pub mod inputs;
pub mod judge;
pub mod law;
pub mod lookup;
pub mod memo;
pub mod merge;
pub mod names;
pub mod offers;
pub mod pictures;
pub mod query;
pub mod reads;
pub mod request;
pub mod rulebook;
pub mod ruling;
pub mod scope;
pub mod testing;
#[cfg(test)]
mod tiny_game;
mod topics;
pub mod transcript;
pub mod tx;
pub mod view;
pub mod why;
pub mod words;

pub use inputs::{Dictated, Inputs, Remains, UnmetCondition};
pub use judge::{Head, Judge, Judged};
pub use law::{Law, LawCache};
