//! What needs no test to run: form, habits, lints and licences.

use anyhow::Result;

use super::outcome::{Options, Outcome, tests};
use crate::shell::{answer, cargo, plain_cargo};
use crate::tidy;

pub(super) fn fmt(_: &Options) -> Result<Outcome> {
    let ran = tests(plain_cargo("fmt").args(["--all", "--check"]))?;
    Ok(Outcome::of(ran.succeeded))
}

pub(super) fn tidy(_: &Options) -> Result<Outcome> {
    Ok(Outcome::of(tidy::run()?))
}

pub(super) fn clippy(_: &Options) -> Result<Outcome> {
    let mut clippy = cargo("clippy");
    clippy.args([
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "--deny",
        "warnings",
    ]);
    Ok(Outcome::of(tests(&mut clippy)?.succeeded))
}

pub(super) fn deny(options: &Options) -> Result<Outcome> {
    if answer(plain_cargo("deny").arg("--version")).is_none() {
        let reason = "cargo-deny is not installed; `tidy` has checked licences and sources";
        return Ok(Outcome::skipped(reason));
    }
    let mut deny = plain_cargo("deny");
    deny.args(["check", "licenses", "bans", "sources"]);
    // Advisories come from the network and change by the day: no reason to refuse a change.
    if options.long {
        deny.arg("advisories");
    }
    Ok(Outcome::of(tests(&mut deny)?.succeeded))
}
