//! Pages in a real browser. A bare build machine gets one from its own packages.

use anyhow::Result;

use super::outcome::{Options, Outcome, tests};
use super::packages;
use crate::shell::{cargo, has_program};
use crate::tidy::root;

/// The test target, as cargo prints it.
pub(super) const TARGET: &str = "tests/browser.rs";

/// What these tests look for before they start a browser; without it they only say so.
const SWITCH: &str = "QUORATE_BROWSER";

const PROGRAMS: [&str; 2] = ["chromium", "chromedriver"];

/// Debian's packages of them.
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

pub(super) fn run(_: &Options) -> Result<Outcome> {
    if !has_tests() {
        return Ok(Outcome::skipped("there are no browser tests"));
    }
    if let Err(reason) = find_browser()? {
        return Ok(Outcome::skipped(reason));
    }
    let mut browser = cargo("test");
    browser.args(["--workspace", "--test", "browser", "--no-fail-fast"]);
    Ok(Outcome::of_tests(&tests(browser.env(SWITCH, "1"))?))
}

/// Whether the binary has such a target.
pub(super) fn has_tests() -> bool {
    root().join("crates/quorate").join(TARGET).is_file()
}

/// Finds a browser or installs one; else says why the step is skipped.
fn find_browser() -> Result<Result<(), String>> {
    let missing = || PROGRAMS.into_iter().find(|program| !has_program(program));
    packages::find(missing, &PACKAGES)
}
