//! What leaves the server by itself: notices, on the channels of those they concern.
//!
//! [`follow`] reads the logs of the games and writes letters into the outbox; [`send`] takes them from there, puts them
//! into words as their reader sees the game then, and hands them to [`carry`]. [`courier`] keeps both going.
//!
//! **Invariant:** nobody who plays waits for any of it: it follows what is on disk already.

mod carry;
pub mod courier;
mod expand;
mod follow;
mod send;

pub use courier::Courier;
