//! An outbox in memory, and what every outbox must do.

#![allow(
    clippy::unwrap_used,
    reason = "these are tests: a panic is how they fail"
)]

mod contract;
mod memory;

pub use contract::outbox;
pub use memory::MemoryOutbox;
