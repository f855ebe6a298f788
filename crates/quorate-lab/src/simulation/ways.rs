//! Every way to change something, against every kind of thing that there is to change: who may, and by which clause.
//!
//! What rules and players do by acts is read off the logs of the rulebook's own tests, each change under the clause that made it.
//! Claims, proposals, scripts, undoings and repairs are tried one by one on a game as it was founded.

mod cells;
mod read;
mod scripts;
mod tried;

use anyhow::{Result, anyhow};
use quorate_engine::rulebook::Rulebook;

use super::game::SimulatedGame;

pub use cells::{ChangeWay, ChangedKind, WayCell, WaysTable};

/// Works out the table of a rulebook.
///
/// # Errors
/// Fails where its tests do not run, or no game of it begins.
pub fn table_of(book: &Rulebook) -> Result<WaysTable> {
    let mut table = WaysTable::new();
    read::read_tests(book, &mut table)?;
    let mut game = SimulatedGame::begin(book, 1).map_err(|failure| anyhow!(failure.what))?;
    tried::try_all(&mut game, &mut table).map_err(|what| anyhow!("{what}"))?;
    Ok(table)
}
