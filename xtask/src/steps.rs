//! The steps of `cargo xtask test`, in order: what is quick and often wrong comes first.

mod browser;
mod fast;
mod rules;
mod simulate;
mod unit;

use std::time::Duration;

use anyhow::Result;

use crate::counts::{Counter, Tally};
use crate::shell::{self, Ran};

/// One kind of check.
struct Step {
    name: &'static str,
    run: fn(&Wish) -> Result<Outcome>,
}

/// To add a step, add a line.
const STEPS: [Step; 8] = [
    Step {
        name: "fmt",
        run: fast::fmt,
    },
    Step {
        name: "tidy",
        run: fast::tidy,
    },
    Step {
        name: "clippy",
        run: fast::clippy,
    },
    Step {
        name: "deny",
        run: fast::deny,
    },
    Step {
        name: "unit",
        run: unit::run,
    },
    Step {
        name: "rules",
        run: rules::run,
    },
    Step {
        name: "simulate",
        run: simulate::run,
    },
    Step {
        name: "browser",
        run: browser::run,
    },
];

/// What was asked for on the command line.
struct Wish {
    long: bool,
}

/// How a step came out, with the tests that it counted.
enum Outcome {
    Passed(Tally),
    Failed(Tally),
    Skipped { reason: String },
}

impl Outcome {
    /// For a step that holds or does not.
    fn of(succeeded: bool) -> Self {
        if succeeded {
            Self::Passed(Tally::default())
        } else {
            Self::Failed(Tally::default())
        }
    }

    /// For a step that runs tests: with none counted, something is wrong with the counting.
    fn of_tests(ran: &Ran) -> Self {
        let held = ran.succeeded && ran.tally.failed == 0 && ran.tally.passed > 0;
        if held {
            Self::Passed(ran.tally)
        } else {
            Self::Failed(ran.tally)
        }
    }

    fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped {
            reason: reason.into(),
        }
    }
}

/// The names to choose from with `--only`.
pub(crate) fn names() -> [&'static str; STEPS.len()] {
    STEPS.map(|step| step.name)
}

/// Runs the steps, or one of them. The last line printed is `N passed, N failed`.
pub(crate) fn run(long: bool, only: Option<&str>) -> bool {
    let wish = Wish { long };
    let mut summary = Vec::new();
    let mut tally = Tally::default();
    let mut passed = true;
    for step in STEPS
        .iter()
        .filter(|step| only.is_none_or(|only| only == step.name))
    {
        if !passed {
            summary.push(format!("{:10} not run", step.name));
            continue;
        }
        println!("\n== {}", step.name);
        let (outcome, took) = timed(|| (step.run)(&wish));
        // A step that could not run has failed like any other, and the summary still comes.
        let outcome = outcome.unwrap_or_else(|error| {
            println!("{error:#}");
            Outcome::Failed(Tally::default())
        });
        let took = format!("{:.1} s", took.as_secs_f64());
        let line = match outcome {
            Outcome::Passed(counted) => {
                tally += counted;
                format!("passed in {took}")
            }
            Outcome::Failed(counted) => {
                passed = false;
                tally += counted;
                // A step that fails without a failed test counts as one.
                tally.failed += u64::from(counted.failed == 0);
                format!(
                    "FAILED in {took}; again with `cargo xtask test --only {}`",
                    step.name
                )
            }
            Outcome::Skipped { reason } => format!("skipped: {reason}"),
        };
        println!("== {}: {line}", step.name);
        summary.push(format!("{:10} {line}", step.name));
    }
    println!("\n{}\n\n{tally}", summary.join("\n"));
    passed
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a step took is told, never judged"
)]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = std::time::Instant::now();
    let done = work();
    (done, begun.elapsed())
}

// Runs a command whose tests count.
fn tests(command: &mut std::process::Command) -> Result<Ran> {
    shell::run(command, Counter::new(None)?)
}
