//! The versions of a post that was edited.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
