//! The JSON API under `/api/v1`: what pages and the command line offer, for programs.
//!
//! A request is authenticated by its `Authorization: Bearer` header alone, never by a cookie, so that no other site can have
//! a browser write here. What is shown comes from a [`super::look::Look`], what changes goes through [`super::send`], and
//! what keeps a request from its answer is a [`problem::Problem`] (RFC 9457). Routes and their description are one text:
//! see `routes/api.rs`.

pub(crate) mod acts;
pub(crate) mod asked;
pub(crate) mod caller;
pub(crate) mod commands;
pub(crate) mod data;
pub(crate) mod events;
pub(crate) mod games;
pub(crate) mod keep;
pub(crate) mod log;
pub(crate) mod messages;
pub(crate) mod moves;
pub(crate) mod people;
pub(crate) mod posts;
pub(crate) mod preview;
pub(crate) mod problem;
pub(crate) mod rules;
pub(crate) mod server;
pub(crate) mod values;
pub(crate) mod wishes;

pub(crate) use keep::as_file;
