//! Everybody in a game, and each of them.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
