//! The tests in Rust: by nextest where it is installed, else by cargo alone.

use anyhow::Result;

use super::browser;
use super::outcome::{Options, Outcome, tests};
use crate::counts::Counter;
use crate::shell::{answer, cargo, plain_cargo, run as shell_run};

pub(super) fn run(_: &Options) -> Result<Outcome> {
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
        tests(&mut nextest)?
    } else {
        let mut cargo_test = cargo("test");
        cargo_test.args([
            "--workspace",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
        ]);
        shell_run(&mut cargo_test, Counter::new(Some(browser::TARGET))?)?
    };
    let documented = tests(cargo("test").args(["--workspace", "--no-fail-fast", "--doc"]))?;
    ran.succeeded &= documented.succeeded;
    ran.tally += documented.tally;
    Ok(Outcome::of_tests(&ran))
}
