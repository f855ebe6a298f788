//! All games of this server.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
