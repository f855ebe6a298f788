//! What happened in a game, whom it concerns, and how it is said to them.
//!
//! [`concern`] reads an event and names those it concerns; [`budget`] counts what rules send. [`choice`] says when each of
//! them wants to hear of it, and [`outbox`] keeps what still has to leave. [`dispatch`] is one message, which [`dialect`]
//! writes as each receiver wants it. [`feed`] writes what readers fetch themselves, and [`answer`] reads what they send back
//! by mail.
//!
//! **Invariant:** nothing here decides what somebody may see. A concern names things and holds no words; the words are made
//! when the message leaves, as its reader sees the game at that moment.

pub mod answer;
pub mod budget;
pub mod choice;
pub mod concern;
pub mod dialect;
pub mod discord;
pub mod dispatch;
pub mod feed;
pub mod kind;
pub mod mention;
pub mod outbox;
pub mod push;
pub mod signature;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod topic;
