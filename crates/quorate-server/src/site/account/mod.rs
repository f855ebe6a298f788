//! Signing up, in and out, ways back in, and one’s own settings.

pub mod change;
mod discord;
pub mod factor;
mod fields;
pub mod handler;
pub(crate) mod outside;
pub mod page;
pub(crate) mod passkey;
pub mod programs;
pub mod recover;
#[cfg(test)]
pub mod sample;
mod session;
pub mod settings;
