//! What all requests share: configuration, state, errors, who asks, forms as they arrive, answers as they go.
//!
//! **Invariant:** everything that changes a game goes through [`send::send`].

pub mod config;
pub(crate) mod download;
pub(crate) mod drafts;
pub mod error;
pub(crate) mod filled;
pub mod forget;
pub mod forms;
pub mod grant;
pub(crate) mod inquiry;
pub mod limits;
pub mod mail;
pub(crate) mod mail_in;
pub mod mailbox;
pub mod metrics;
pub(crate) mod moderation;
pub mod new_game;
pub mod newcomer;
pub(crate) mod notice_words;
pub mod outside;
pub mod pages;
pub mod passwords;
pub mod posted;
pub(crate) mod push;
pub mod recovery;
pub(crate) mod removal;
pub mod reply;
pub mod safety;
pub mod seen;
pub mod send;
pub mod state;
pub mod stream;
pub mod visitor;
pub mod web_reach;
