//! Invented games, people and texts that fill every page once, for tests and for looking at.

mod account;
mod act;
mod desk;
mod front;
mod law;
mod log;
mod post;
mod tracker;
mod world;
