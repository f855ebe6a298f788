//! Dynasties: from one ascension to the next.

pub mod dice;
pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
