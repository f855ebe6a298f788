//! Both gamestates of a ruling.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
