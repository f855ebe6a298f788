//! The admins’ desk.

mod duties;
pub mod handler;
pub mod idling;
pub mod page;
#[cfg(test)]
pub mod sample;
