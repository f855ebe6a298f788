//! Writing a post, and mending one.

pub mod asked;
pub mod draft;
pub mod handler;
pub mod other;
pub mod page;
pub mod refused;
#[cfg(test)]
pub mod sample;
