//! Programs that a bare build machine gets from its own packages.

use std::process::Command;

use anyhow::Result;

use super::outcome::tests;
use crate::shell::{answer, has_program};

/// Whether programs may be installed here.
pub(super) fn is_root() -> bool {
    answer(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Installs Debian's packages where a program is missing and this may be done. The inner error says why it was not.
pub(super) fn find(
    missing: impl Fn() -> Option<&'static str>,
    packages: &[&str],
) -> Result<Result<(), String>> {
    let Some(program) = missing() else {
        return Ok(Ok(()));
    };
    if !has_program("apt-get") {
        return Ok(Err(format!(
            "there is no {program}, and no apt-get to install it"
        )));
    }
    if !is_root() {
        let packages = packages.join(" ");
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
    let install = ["--quiet=2", "install", "--yes", "--no-install-recommends"];
    let installed =
        apt(&["--quiet=2", "update"])?.succeeded && apt(&[&install, packages].concat())?.succeeded;
    Ok(if installed && missing().is_none() {
        Ok(())
    } else {
        Err(format!(
            "there is no {program}, and apt-get could not install it"
        ))
    })
}
