//! What all requests share: configuration, state, errors, who asks, forms as they arrive, answers as they go. Nothing here
//! knows what a game holds.

pub mod config;
pub(crate) mod download;
pub mod error;
pub(crate) mod export;
pub mod form_words;
pub mod grant;
pub(crate) mod inquiry;
pub mod kept;
pub mod limits;
pub mod mail;
pub mod mailbox;
pub mod metrics;
pub(crate) mod moderation;
pub(crate) mod notice;
pub(crate) mod notice_words;
pub mod outlook;
pub mod outside;
pub mod pages;
pub mod passwords;
pub mod posted;
pub mod press;
pub(crate) mod push;
pub mod recovery;
pub(crate) mod removal;
pub mod reply;
pub(crate) mod request_log;
pub mod safety;
pub mod state;
pub mod stream;
pub mod visitor;
pub mod web_reach;
