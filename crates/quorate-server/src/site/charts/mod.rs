//! Charts: what happened week by week, and any tracked number over time.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
