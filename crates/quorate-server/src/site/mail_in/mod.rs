//! Answers that come back by mail: a comment, or a vote.

pub mod handler;
