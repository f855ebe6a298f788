//! Experiments with a rulebook: does what must hold hold in random play, do its tests notice when its code is another, and
//! how much of it falls with a rule that goes?
//!
//! All are functions of a rulebook and a seed. What is printed about them is the business of the commands.

mod chance;
mod going_on;
pub mod independence;
pub mod mutation;
pub mod simulation;
