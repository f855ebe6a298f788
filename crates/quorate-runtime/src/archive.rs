//! A game's whole log as a text that can be carried elsewhere: one JSON object a line.
//!
//! The first line is about the game, each further one is an event. The open part of an event stands there byte by byte,
//! for the chain runs over these bytes; some of what it says is repeated in words for whoever looks into the file.

mod export;
mod import;
mod lines;

pub use export::{ArchivedSeals, ExportError, export};
pub use import::{ImportError, Imported, import};
