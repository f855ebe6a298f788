//! What readers have seen, and their word that they have.

pub mod handler;
