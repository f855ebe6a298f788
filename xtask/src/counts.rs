//! Counts tests from what the test runners print.

use std::ops::AddAssign;

use anyhow::Result;
use regex::Regex;

/// How many tests came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)
        } else {
            Ok(())
        }
    }
}

/// Reads the lines of `cargo test`, `cargo nextest` and `quorate test`, and sums the totals.
pub(crate) struct Counter {
    tally: Tally,
    leave_out: Option<&'static str>,
    /// The next total is of the target that is left out.
    leaving_out: bool,
    target: Regex,
    libtest: Regex,
    nextest: Regex,
    own: Regex,
    number: Regex,
}

impl Counter {
    /// `leave_out` is a test target, `tests/browser.rs`, whose results under `cargo test` are
    /// counted elsewhere.
    pub(crate) fn new(leave_out: Option<&'static str>) -> Result<Self> {
        Ok(Self {
            tally: Tally::default(),
            leave_out,
            leaving_out: false,
            target: Regex::new(r"^\s+(?:Running|Doc-tests) (?:unittests )?(\S+)")?,
            libtest: Regex::new(r"^test result: \w+\. (.*)$")?,
            nextest: Regex::new(r"^\s*Summary \[.*\] [\d/]+ tests? run: (.*)$")?,
            own: Regex::new(r"^(\d+ passed, \d+ failed(?:, \d+ skipped)?)$")?,
            number: Regex::new(r"(\d+) (passed|failed|ignored|skipped|timed out|exec failed)")?,
        })
    }

    /// Takes in one line.
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(target) = self.target.captures(line) {
            self.leaving_out = self.leave_out == Some(&target[1]);
        } else if let Some(total) = self.libtest.captures(line) {
            if !self.leaving_out {
                self.tally += self.total(&total[1]);
            }
        } else if let Some(total) = self.nextest.captures(line) {
            // What nextest calls skipped was left out by a filter: nothing here is ignored.
            self.tally += Tally {
                skipped: 0,
                ..self.total(&total[1])
            };
        } else if let Some(total) = self.own.captures(line) {
            self.tally += self.total(&total[1]);
        }
    }

    /// What the lines so far add up to.
    pub(crate) fn tally(&self) -> Tally {
        self.tally
    }

    fn total(&self, text: &str) -> Tally {
        let mut tally = Tally::default();
        for part in self.number.captures_iter(text) {
            let count: u64 = part[1].parse().unwrap_or(0);
            match &part[2] {
                "passed" => tally.passed += count,
                "ignored" | "skipped" => tally.skipped += count,
                _ => tally.failed += count,
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &str, expected: &str) {
        let mut counter = Counter::new(Some("tests/browser.rs")).unwrap();
        lines.lines().for_each(|line| counter.read(line));
        assert_eq!(counter.tally().to_string(), expected);
    }

    #[test]
    fn totals_of_several_targets_are_summed() {
        check(
            "     Running unittests src/lib.rs (target/debug/deps/a-1)\n\
             test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; \
             finished in 0.01s\n   Doc-tests a\n\
             test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out\n",
            "7 passed, 3 failed, 1 skipped",
        );
    }

    #[test]
    fn a_target_counted_elsewhere_is_left_out_and_the_next_is_not() {
        check(
            "     Running tests/browser.rs (target/debug/deps/browser-1)\n\
             test result: ok. 5 passed; 0 failed; 0 ignored\n     \
             Running tests/pages.rs (target/debug/deps/pages-1)\n\
             test result: ok. 2 passed; 0 failed; 0 ignored\n",
            "2 passed, 0 failed",
        );
    }

    #[test]
    fn nextest_may_stop_early_be_slow_or_run_out_of_time() {
        check(
            "     Summary [   1.204s] 9/12 tests run: 6 passed (2 slow), 2 failed, 1 timed out, \
             3 skipped\n",
            "6 passed, 3 failed",
        );
        check(
            "     Summary [   0.004s] 1 test run: 1 passed, 0 skipped\n",
            "1 passed, 0 failed",
        );
    }

    #[test]
    fn our_own_tools_end_with_a_line_of_counts() {
        check(
            "recruiting: 3 passed, 1 failed\n12 passed, 0 failed\n",
            "12 passed, 0 failed",
        );
    }

    #[test]
    fn a_test_that_talks_of_tests_counts_nothing() {
        check(
            "the author said: test result: ok. 99 passed; 0 failed\n",
            "0 passed, 0 failed",
        );
    }
}
