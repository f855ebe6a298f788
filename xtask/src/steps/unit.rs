//! The tests in Rust: by nextest where it is installed, else by cargo alone.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::outcome::{Options, Outcome, tests};
use super::{browser, packages};
use crate::counts::Counter;
use crate::shell::{answer, cargo, plain_cargo, run as shell_run};

/// What the tests read in the long form, and what it has them do: kill more workers, and try all of a table instead of a part.
const LONG: [(&str, &str); 3] = [
    ("QUORATE_KILLS", "1000"),
    ("QUORATE_HOSTILE", "all"),
    ("QUORATE_FUZZ_ROUNDS", "1000"),
];

/// Where Debian's packages put each release of PostgreSQL.
const POSTGRES: &str = "/usr/lib/postgresql";

/// Debian's package of it.
const POSTGRES_PACKAGES: [&str; 1] = ["postgresql"];

/// What tests look for that need a server: with it they fail where there is none, without it they do nothing.
const NEEDS_POSTGRES: &str = "QUORATE_NEEDS_POSTGRES";

pub(super) fn run(options: &Options) -> Result<Outcome> {
    let long = LONG.iter().filter(|_| options.long).copied();
    let missing = || {
        let is_there = Path::new(POSTGRES).is_dir();
        (!is_there).then_some("PostgreSQL server")
    };
    let postgres = packages::find(missing, &POSTGRES_PACKAGES)?;
    if let Err(reason) = &postgres {
        println!("skipped what needs a database of its own: {reason}");
    }
    let with_postgres = |command: &mut Command| {
        if postgres.is_ok() {
            command.env(NEEDS_POSTGRES, "1");
        }
    };
    let mut ran = if answer(plain_cargo("nextest").arg("--version")).is_some() {
        let mut nextest = cargo("nextest run");
        nextest.args(["--workspace", "--no-fail-fast", "--no-tests", "pass"]);
        nextest.args(["--status-level", "fail", "--final-status-level", "fail"]);
        if browser::has_tests() {
            nextest.args([
                "--filterset",
                "not (package(quorate-server) & binary(browser))",
            ]);
        }
        with_postgres(&mut nextest);
        tests(nextest.envs(long))?
    } else {
        let mut cargo_test = cargo("test");
        cargo_test.args([
            "--workspace",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
        ]);
        with_postgres(&mut cargo_test);
        shell_run(cargo_test.envs(long), Counter::new(Some(browser::TARGET))?)?
    };
    let documented = tests(cargo("test").args(["--workspace", "--no-fail-fast", "--doc"]))?;
    ran.succeeded &= documented.succeeded;
    ran.tally += documented.tally;
    Ok(Outcome::of_tests(&ran))
}
