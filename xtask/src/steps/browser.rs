//! Pages in a real browser. A bare build machine gets one from its own packages.

use std::process::Command;

use anyhow::Result;

use super::outcome::{Options, Outcome, tests};
use crate::shell::{answer, cargo, has_program};
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

// Finds a browser or installs one. The inner error says why the step is skipped.
fn find_browser() -> Result<Result<(), String>> {
    let missing = || PROGRAMS.into_iter().find(|program| !has_program(program));
    let Some(program) = missing() else {
        return Ok(Ok(()));
    };
    if !has_program("apt-get") {
        return Ok(Err(format!(
            "there is no {program}, and no apt-get to install it"
        )));
    }
    if answer(Command::new("id").arg("-u")).is_none_or(|id| id.trim() != "0") {
        let packages = PACKAGES.join(" ");
        return Ok(Err(format!(
            "there is no {program}; install it: sudo apt-get install {packages}"
        )));
    }
    let apt = |arguments: &[&str]| {
        tests(
            Command::new("apt-get")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )
    };
    let installed = apt(&["--quiet=2", "update"])?.succeeded
        && apt(&[
            "--quiet=2",
            "install",
            "--yes",
            "--no-install-recommends",
            PACKAGES[0],
            PACKAGES[1],
        ])?
        .succeeded;
    Ok(if installed && missing().is_none() {
        Ok(())
    } else {
        Err(format!(
            "there is no {program}, and apt-get could not install it"
        ))
    })
}
