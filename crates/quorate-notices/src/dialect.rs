//! A message as each receiver wants it.

pub mod chat;
pub mod mail;
pub mod push;
pub mod webhook;
