//! Search in posts, comments, rules, events and people.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
