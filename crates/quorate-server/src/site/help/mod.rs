//! How to play, the words, the rule author's guide, and what is kept about whom.

pub mod guide;
pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
