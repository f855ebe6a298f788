//! What one hears of while away, how soon, and on which ways.

pub mod change;
pub mod follow;
pub mod handler;
pub mod page;
mod reach;
#[cfg(test)]
pub mod sample;
pub mod words;
