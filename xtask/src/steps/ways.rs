//! Who may change what: each cell of `docs/ways.md` is tried on games and must come out as it stands there; of all rulebooks in the
//! long form, of the first in the short one.

use std::process::Command;

use anyhow::Result;

use super::outcome::{Options, Outcome};
use super::rules::has_command;
use crate::counts::Tally;
use crate::shell::build_quorate;
use crate::tidy::root;

/// The rulebooks on the page.
const TOLD: [&str; 5] = [
    "hordes-22",
    "adventurers-2019",
    "arena-93",
    "dda-55",
    "dungeon-78",
];

/// The page.
const PAGE: &str = "docs/ways.md";

pub(super) fn run(options: &Options) -> Result<Outcome> {
    let Some(quorate) = build_quorate()? else {
        return Ok(Outcome::of(false));
    };
    if !has_command(&quorate, "ways") {
        return Ok(Outcome::skipped("the binary has no command `ways`"));
    }
    let books = if options.long { &TOLD[..] } else { &TOLD[..1] };
    let mut command = Command::new(&quorate);
    command.current_dir(root());
    command.args(["ways", "--check", PAGE]).args(books);
    let mut tally = Tally::default();
    if !command.status()?.success() {
        tally.failed += 1;
        return Ok(Outcome::Failed(tally));
    }
    tally.passed += u64::try_from(books.len())?;
    Ok(Outcome::Passed(tally))
}
