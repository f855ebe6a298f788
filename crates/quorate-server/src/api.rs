//! The JSON API under `/api/v1`: what pages and the command line offer, for programs.
//!
//! A request is authenticated by its `Authorization: Bearer` header alone, never by a cookie, so that no other site can have
//! a browser write here. What is shown comes from a [`crate::view::game::GameView`], what changes goes through
//! [`crate::requests::send`], and what keeps a request from its answer is a [`problem::Problem`] (RFC 9457). Routes and their
//! description are one text: see `routes/api.rs`.

pub mod acts;
pub mod asked;
pub mod bodies;
pub mod caller;
pub mod commands;
pub mod data;
pub mod drafts;
pub mod events;
pub mod games;
pub mod keep;
pub mod log;
pub mod messages;
pub mod moves;
pub mod people;
pub mod posts;
pub mod preview;
pub mod problem;
pub mod rules;
pub mod search;
pub mod server;
pub mod values;
