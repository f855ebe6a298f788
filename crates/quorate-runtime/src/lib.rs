//! Games that are awake: writers, timers, seeds, snapshots, and the ports they lean on.
//!
//! [`Games`] is the way in: it sends commands, shows states and tells what happened. Behind it each game that is in
//! use has one writer, which stamps the time, has a [`judge::GameJudge`] decide, and acknowledges nothing that is not on
//! disk. Where things are kept, what time it is and who judges are [`ports`] and traits, so that all of this runs in
//! a test without a disk, a clock or a law.

pub mod archive;
mod blocking;
mod committer;
pub mod dice;
mod error;
mod fault;
pub mod fold;
mod games;
mod host;
pub mod in_process;
pub mod judge;
pub mod known_seals;
mod mail;
pub mod old_events;
pub mod ports;
mod published;
mod registry;
mod settings;
mod shared_texts;
pub mod verify;
mod walk;
pub mod wire;
pub mod wire_error;
mod writer;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use error::OperatingError;
pub use fault::{LogFault, Wrong};
pub use games::{Games, KEY_BYTES_MAX};
pub use mail::CommandSender;
pub use published::{Answer, Notice, Published, Receipt};
pub use settings::{GamesSettings, Others, Ports};
