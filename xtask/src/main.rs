//! One command for every check of this repository: `cargo xtask test`.

#![expect(
    clippy::print_stdout,
    reason = "a tool for a terminal speaks on standard output"
)]

mod counts;
mod long;
mod scale;
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
    /// Run something for hours, in parts, and keep in docs/long-runs.md what came of it.
    Long {
        /// What.
        #[arg(value_parser = PossibleValuesParser::new(long::names()))]
        name: String,
        /// What chance begins with.
        #[arg(long)]
        seed: u64,
        /// Go on after the last part that is kept.
        #[arg(long)]
        resume: bool,
    },
    /// Count the code that is not there for tests, crate by crate, beside what it was.
    Lines {
        /// The commit to compare with.
        #[arg(long, value_name = "REV", default_value = tidy::BEFORE)]
        against: String,
    },
    /// Simulate sites of many games from measured costs, and print the tables of docs/scale.md.
    Scale,
    /// List the type names that are defined more than once.
    Names,
}

fn main() -> Result<ExitCode> {
    let passed = match Task::parse() {
        Task::Test { long, only } => steps::run(long, only.as_deref()),
        Task::Tidy => tidy::run()?,
        Task::Long { name, seed, resume } => long::run(&name, seed, resume)?,
        Task::Scale => {
            println!("{}", scale::tables());
            true
        }
        Task::Lines { against } => tidy::print_lines(&against)?,
        Task::Names => tidy::print_names()?,
    };
    Ok(if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
