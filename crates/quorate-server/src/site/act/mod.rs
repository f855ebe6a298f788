//! What the reader can do now, later, and why not; and doing it.

pub mod again;
pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
mod sheet;
