//! The rulebooks' own tests, which are written in the language of the rules.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::outcome::{Options, Outcome, tests};
use crate::shell::{answer, build_quorate};
use crate::tidy::root;

pub(super) fn run(options: &Options) -> Result<Outcome> {
    if !folders().iter().any(|folder| folder.join("tests").is_dir()) {
        return Ok(Outcome::skipped("no rulebook has tests"));
    }
    let Some(quorate) = build_quorate()? else {
        return Ok(Outcome::of(false));
    };
    if !has_command(&quorate, "test") {
        return Ok(Outcome::skipped("the binary has no command `test`"));
    }
    let mut test = Command::new(quorate);
    test.args(["test", "rulebooks"]);
    // In the long form a worker judges each game again.
    test.args(options.long.then_some("--in-workers"));
    Ok(Outcome::of_tests(&tests(&mut test)?))
}

/// The folders of `rulebooks/`, by name.
pub(super) fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("rulebooks"))
        .into_iter()
        .flatten();
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Whether the binary's help names a command.
pub(super) fn has_command(quorate: &Path, command: &str) -> bool {
    let help = answer(Command::new(quorate).arg("--help")).unwrap_or_default();
    help.lines()
        .any(|line| line.split_whitespace().next() == Some(command))
}
