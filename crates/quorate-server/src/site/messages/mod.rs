//! Private messages.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
