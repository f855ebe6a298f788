//! Asking to join a game.

pub mod handler;
