//! The operator’s panel.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
pub mod withhold;
