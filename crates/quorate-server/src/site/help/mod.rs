//! How to play, the words, and what is kept about whom.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
