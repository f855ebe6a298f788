//! For tests: a game that needs no law, a store in memory, a clock that is set by hand, and the tests that every store
//! must pass. Compiled with the feature `testing` only.

mod clock;
pub mod contract;
mod counter;
pub mod kills;
mod log;
mod memory;

pub use clock::HandClock;
pub use counter::{Counters, count, founding, plays, rings};
pub use log::{found_batch, grown_batch};
pub use memory::Memory;
