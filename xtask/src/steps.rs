//! The steps of `cargo xtask test`, in order: what is quick and often wrong comes first.

mod browser;
mod fast;
mod independence;
mod outcome;
mod packages;
mod rules;
mod simulate;
mod unit;
mod ways;

use std::time::Duration;

use anyhow::Result;

use crate::counts::Tally;
use outcome::{Options, Outcome};

/// One kind of check, and the seconds allotted to it on two cores and a built tree. The short form has 15 minutes in all.
type Step = (&'static str, u64, fn(&Options) -> Result<Outcome>);

/// To add a step, add a line, and take its seconds from the others.
const STEPS: [Step; 10] = [
    ("fmt", 10, fast::fmt),
    ("tidy", 20, fast::tidy),
    ("clippy", 60, fast::clippy),
    ("deny", 10, fast::deny),
    ("unit", 250, unit::run),
    ("rules", 60, rules::run),
    ("independence", 60, independence::run),
    ("ways", 60, ways::run),
    ("simulate", 120, simulate::run),
    ("browser", 250, browser::run),
];

const _: () = {
    let (mut all, mut nth) = (0, 0);
    while nth < STEPS.len() {
        all += STEPS[nth].1;
        nth += 1;
    }
    assert!(all <= 15 * 60, "the steps have more than 15 minutes in all");
};

/// The names to choose from with `--only`.
pub(crate) fn names() -> [&'static str; STEPS.len()] {
    STEPS.map(|(name, ..)| name)
}

/// Runs the steps, or one of them. The last line printed is `N passed, N failed`.
pub(crate) fn run(long: bool, only: Option<&str>) -> bool {
    let options = Options { long };
    let mut summary = Vec::new();
    let mut tally = Tally::default();
    let mut passed = true;
    for (name, allotted, step) in STEPS
        .iter()
        .filter(|(name, ..)| only.is_none_or(|only| only == *name))
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
        let over = if !long && took > Duration::from_secs(*allotted) {
            ", too long"
        } else {
            ""
        };
        let took = format!("{:.1} s of {allotted} s{over}", took.as_secs_f64());
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
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = std::time::Instant::now();
    let done = work();
    (done, begun.elapsed())
}
