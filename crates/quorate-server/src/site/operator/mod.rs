//! The operator’s panel.

pub mod handler;
pub mod moderation;
pub mod page;
pub mod removal;
#[cfg(test)]
pub mod sample;
pub mod withhold;
