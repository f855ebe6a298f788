//! One command for every check of this repository: `cargo xtask test`.

#![expect(
    clippy::print_stdout,
    reason = "a tool for a terminal speaks on standard output"
)]

mod counts;
mod shell;
mod steps;
mod tidy;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, builder::PossibleValuesParser};

#[derive(Parser)]
#[command(about = "Checks this repository", disable_help_subcommand = true)]
enum Task {
    /// Run every check, the quick ones first, and stop at the first that fails.
    Test {
        /// Simulate many more games.
        #[arg(long)]
        long: bool,
        /// Run this step alone.
        #[arg(long, value_name = "STEP", value_parser = PossibleValuesParser::new(steps::names()))]
        only: Option<String>,
    },
    /// Check the habits of the repository: floors, words, sizes, paths, licences.
    Tidy,
}

fn main() -> Result<ExitCode> {
    let passed = match Task::parse() {
        Task::Test { long, only } => steps::run(long, only.as_deref()),
        Task::Tidy => tidy::run()?,
    };
    Ok(if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
