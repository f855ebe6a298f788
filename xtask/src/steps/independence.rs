//! Rules that stand alone: what a rulebook's rules lose with a rule that their prose does not name stays within bounds.

use std::process::Command;

use anyhow::Result;

use super::outcome::{Options, Outcome};
use super::rules::has_command;
use crate::counts::Tally;
use crate::shell::build_quorate;

/// For each rulebook the most clauses, actions and categories that may be lost so, over all trials. A bound only ever goes down.
const BOUNDS: [(&str, u32); 7] = [
    ("adventurers-2019", 0),
    ("arena-93", 0),
    ("dda-55", 0),
    ("dungeon-78", 0),
    ("hordes-22", 0),
    ("one-page", 0),
    ("template", 0),
];

/// How many random halves are kept.
const HALVES: &str = "60";

pub(super) fn run(options: &Options) -> Result<Outcome> {
    let Some(quorate) = build_quorate()? else {
        return Ok(Outcome::of(false));
    };
    if !has_command(&quorate, "independence") {
        return Ok(Outcome::skipped("the binary has no command `independence`"));
    }
    let mut tally = Tally::default();
    for (book, most) in BOUNDS {
        let mut command = Command::new(&quorate);
        command.args([
            "independence",
            book,
            "--totals",
            "--most",
            &most.to_string(),
        ]);
        if options.long {
            command.args(["--halves", HALVES]);
        }
        if !command.status()?.success() {
            tally.failed += 1;
            return Ok(Outcome::Failed(tally));
        }
        tally.passed += 1;
    }
    Ok(Outcome::Passed(tally))
}
