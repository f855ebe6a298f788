//! The tests in Rust: by nextest where it is installed, else by cargo alone.

use anyhow::Result;

use super::browser;
use super::outcome::{Options, Outcome, tests};
use crate::counts::Counter;
use crate::shell::{answer, cargo, plain_cargo, run as shell_run};

/// What the tests read in the long form, and what it has them do: kill more workers, and try all of a table instead of a part.
const LONG: [(&str, &str); 3] = [
    ("QUORATE_KILLS", "1000"),
    ("QUORATE_HOSTILE", "all"),
    ("QUORATE_FUZZ_ROUNDS", "1000"),
];

pub(super) fn run(options: &Options) -> Result<Outcome> {
    let long = LONG.iter().filter(|_| options.long).copied();
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
        shell_run(cargo_test.envs(long), Counter::new(Some(browser::TARGET))?)?
    };
    let documented = tests(cargo("test").args(["--workspace", "--no-fail-fast", "--doc"]))?;
    ran.succeeded &= documented.succeeded;
    ran.tally += documented.tally;
    Ok(Outcome::of_tests(&ran))
}
