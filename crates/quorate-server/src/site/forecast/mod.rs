//! What a proposal would do.

pub mod effects;
pub mod page;
#[cfg(test)]
pub mod sample;
