//! An outbox in memory, and what every outbox must do.

#![allow(
    clippy::unwrap_used,
    reason = "these are tests: a panic is how they fail"
)]

mod contract;
mod discord;
mod memory;
mod push;

pub use contract::outbox;
pub use discord::DiscordSigner;
pub use memory::MemoryOutbox;
pub use push::PushBrowser;
