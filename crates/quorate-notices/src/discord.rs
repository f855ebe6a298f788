//! Playing from Discord: what it sends when somebody uses a command, a button, a menu or a form, and what it is answered.
//!
//! What a player may do there, and what came of it, is for the server to say; here is only how Discord writes it.

pub mod commands;
pub mod interaction;
pub mod reply;
