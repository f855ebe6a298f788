//! Telling the operator of a post or a person.

pub mod handler;
