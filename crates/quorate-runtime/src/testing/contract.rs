//! What every store must do. Each test takes stores from a function, so that it can have a fresh one, and more.
//!
//! A store's own tests call [`journal`], [`seals`], [`accounts`], [`safety`], [`moderation`], [`search`], [`drafts`], [`uploads`], [`archives`] and [`whole`] and need no more than a way to make a store.

#![allow(
    clippy::unwrap_used,
    reason = "these are tests: a panic is how they fail"
)]

mod accounts;
mod archives;
mod drafts;
mod journal;
mod moderation;
mod safety;
mod seals;
mod search;
mod uploads;
mod whole;

pub use accounts::accounts;
pub use archives::archives;
pub use drafts::drafts;
pub use journal::journal;
pub use moderation::moderation;
pub use safety::safety;
pub use seals::seals;
pub use search::search;
pub use uploads::{somebody, uploads};
pub use whole::{KeptTables, kept, plant, same, whole};
