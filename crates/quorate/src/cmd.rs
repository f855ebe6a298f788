//! The commands, one file each.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::out::Out;

mod check;
mod coverage;
mod test;

/// A command.
#[derive(Subcommand)]
pub enum Command {
    /// Check a rulebook: its files, names, types and declarations.
    Check(check::Arguments),
    /// Run rule tests: of rulebooks, folders or test files.
    Test(test::Arguments),
    /// Compare the ids that rule tests prove with a checklist.
    Coverage(coverage::Arguments),
}

impl Command {
    /// Runs the command.
    pub fn run(self, out: &Out) -> Result<ExitCode> {
        match self {
            Self::Check(arguments) => check::run(&arguments, out),
            Self::Test(arguments) => test::run(&arguments, out),
            Self::Coverage(arguments) => coverage::run(&arguments, out),
        }
    }
}
