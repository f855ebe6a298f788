//! Experiments with a rulebook: does what must hold hold in random play, and do its tests notice when its code is
//! another?
//!
//! Both are functions of a rulebook and a seed. What is printed about them is the business of the commands.

pub mod mutation;
pub mod simulation;
