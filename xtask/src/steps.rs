//! The steps of `cargo xtask test`, in order: what is quick and often wrong comes first.

mod browser;
mod fast;
mod independence;
mod outcome;
mod rules;
mod simulate;
mod unit;

use std::time::Duration;

use anyhow::Result;

use crate::counts::Tally;
use outcome::{Options, Outcome};

/// One kind of check.
type Step = (&'static str, fn(&Options) -> Result<Outcome>);

/// To add a step, add a line.
const STEPS: [Step; 9] = [
    ("fmt", fast::fmt),
    ("tidy", fast::tidy),
    ("clippy", fast::clippy),
    ("deny", fast::deny),
    ("unit", unit::run),
    ("rules", rules::run),
    ("independence", independence::run),
    ("simulate", simulate::run),
    ("browser", browser::run),
];

/// The names to choose from with `--only`.
pub(crate) fn names() -> [&'static str; STEPS.len()] {
    STEPS.map(|(name, _)| name)
}

/// Runs the steps, or one of them. The last line printed is `N passed, N failed`.
pub(crate) fn run(long: bool, only: Option<&str>) -> bool {
    let options = Options { long };
    let mut summary = Vec::new();
    let mut tally = Tally::default();
    let mut passed = true;
    for (name, step) in STEPS
        .iter()
        .filter(|(name, _)| only.is_none_or(|only| only == *name))
    {
        if !passed {
            summary.push(format!("{name:10} not run"));
            continue;
        }
        println!("\n== {name}");
        let (outcome, took) = timed(|| step(&options));
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
                format!("FAILED in {took}; again with `cargo xtask test --only {name}`")
            }
            Outcome::Skipped { reason } => format!("skipped: {reason}"),
        };
        println!("== {name}: {line}");
        summary.push(format!("{name:10} {line}"));
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
