//! The admins’ desk.

pub mod handler;
pub mod idling;
pub mod page;
#[cfg(test)]
pub mod sample;
