//! A new game of one of the rulebooks.

pub mod handler;
