//! Words taken out of a game for good.

pub mod handler;
