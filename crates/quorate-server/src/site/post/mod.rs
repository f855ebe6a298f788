//! A post: the matter, how it stands, each vote and how it was reached, comments.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
