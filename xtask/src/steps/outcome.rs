//! What a step is asked and what it answers.

use anyhow::Result;

use crate::counts::{Counter, Tally};
use crate::shell::{self, Ran};

/// What was asked for on the command line.
pub(super) struct Options {
    pub(super) long: bool,
}

/// How a step came out, with the tests that it counted.
pub(super) enum Outcome {
    Passed(Tally),
    Failed(Tally),
    Skipped { reason: String },
}

impl Outcome {
    /// For a step that holds or does not.
    pub(super) fn of(succeeded: bool) -> Self {
        if succeeded {
            Self::Passed(Tally::default())
        } else {
            Self::Failed(Tally::default())
        }
    }

    /// For a step that runs tests: with none counted, something is wrong with the counting.
    pub(super) fn of_tests(ran: &Ran) -> Self {
        let held = ran.succeeded && ran.tally.failed == 0 && ran.tally.passed > 0;
        if held {
            Self::Passed(ran.tally)
        } else {
            Self::Failed(ran.tally)
        }
    }

    pub(super) fn skipped(reason: impl Into<String>) -> Self {
        Self::Skipped {
            reason: reason.into(),
        }
    }
}

/// Runs a command whose tests count.
pub(super) fn tests(command: &mut std::process::Command) -> Result<Ran> {
    shell::run(command, Counter::new(None)?)
}
