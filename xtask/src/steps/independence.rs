//! Rules that stand alone: no rule of a rulebook, and no clause of one, loses anything with a rule that its prose does not name.

use std::process::Command;

use anyhow::Result;

use super::outcome::{Options, Outcome};
use super::rules::has_command;
use crate::counts::Tally;
use crate::shell::build_quorate;
use crate::tidy::root;

/// The rulebooks whose numbers are in the documentation.
const TOLD: [&str; 5] = [
    "adventurers-2019",
    "arena-93",
    "dda-55",
    "dungeon-78",
    "hordes-22",
];

/// The others.
const UNTOLD: [&str; 2] = ["one-page", "template"];

/// Where the numbers are.
const NUMBERS: &str = "docs/independence.md";

/// How many random halves are kept.
const HALVES: &str = "60";

pub(super) fn run(_: &Options) -> Result<Outcome> {
    let Some(quorate) = build_quorate()? else {
        return Ok(Outcome::of(false));
    };
    if !has_command(&quorate, "independence") {
        return Ok(Outcome::skipped("the binary has no command `independence`"));
    }
    let mut tally = Tally::default();
    for (books, numbers) in [(&TOLD[..], Some(NUMBERS)), (&UNTOLD[..], None)] {
        let mut command = Command::new(&quorate);
        command.current_dir(root());
        command.arg("independence").args(books);
        command.args(["--totals", "--most", "0", "--halves", HALVES]);
        if let Some(numbers) = numbers {
            command.args(["--check", numbers]);
        }
        if !command.status()?.success() {
            tally.failed += 1;
            return Ok(Outcome::Failed(tally));
        }
        tally.passed += u64::try_from(books.len())?;
    }
    Ok(Outcome::Passed(tally))
}
