//! Invented games, people and texts that fill every page once, for tests and for looking at.

#![expect(
    clippy::too_many_lines,
    reason = "a sample is one literal that fills every field of a page"
)]

mod account;
mod act;
mod desk;
mod front;
mod law;
mod log;
mod post;
mod tracker;
mod world;
