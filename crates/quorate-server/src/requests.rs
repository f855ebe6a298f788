//! What a request does in a game: the game that it is about, the one way in for commands, and what its forms fill in.
//!
//! **Invariant:** everything that changes a game goes through [`send::send`].

pub(crate) mod by_hand;
pub(crate) mod drafts;
pub(crate) mod filled;
pub mod forget;
pub mod forms;
pub(crate) mod mail_in;
pub(crate) mod named;
pub mod new_game;
pub mod newcomer;
pub mod seen;
pub mod send;
