//! Pages of the server itself: games, accounts, help.

pub mod account;
pub mod found;
pub mod home;
pub mod recover;
pub mod settings;
