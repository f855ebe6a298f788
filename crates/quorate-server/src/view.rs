//! A game as one reader may see it. Nothing here knows of requests.

pub mod changes;
pub mod forecast;
pub mod game;
pub mod grid;
pub mod kinds;
pub mod matters;
pub mod messages;
pub mod offers;
pub mod past;
pub mod people;
pub mod preview;
mod secrets;
pub mod values;
pub mod words;
