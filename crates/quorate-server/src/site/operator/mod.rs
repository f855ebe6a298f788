//! The operator’s panel.

pub mod handler;
pub mod moderation;
pub mod page;
#[cfg(test)]
pub mod sample;
pub mod withhold;
