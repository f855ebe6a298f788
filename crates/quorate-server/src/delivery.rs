//! What happens by itself: notices leave on the channels of those they concern, and words come into the index.
//!
//! [`index`] follows the same logs for searches. [`follow`] reads the logs of the games and writes letters into the outbox; [`send`] takes them from there, has them put
//! into words as their reader sees the game then, and hands them to [`carry`]. What both ask of a game's law is in [`reading`]. [`courier`] keeps both going,
//! [`watch`] tells which games went on, and [`held`] which are left alone for a while.
//!
//! [`fetch`] goes for the answers that come by mail.
//!
//! **Invariant:** nobody who plays waits for any of it: it follows what is on disk already.

mod carry;
pub mod courier;
mod expand;
mod fetch;
mod follow;
mod held;
pub mod index;
pub(crate) mod reading;
mod send;
mod watch;

pub use courier::Courier;
pub use fetch::{FetchError, Fetcher};
pub use index::Indexer;
