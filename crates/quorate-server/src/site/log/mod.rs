//! The log, and one event of it.

pub mod event;
pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
