//! Search in rules, posts, comments and people.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
mod wanted;
