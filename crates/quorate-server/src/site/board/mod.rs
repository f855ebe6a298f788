//! Boards that the law declares, with the moves on them.

pub mod handler;
pub mod moves;
pub mod page;
#[cfg(test)]
pub mod sample;
