//! Tracked values, their histories, changes by hand, the dice line.

pub mod claim;
pub mod columns;
pub mod handler;
pub mod page;
pub mod rolls;
#[cfg(test)]
pub mod sample;
