//! The tests in Rust: by nextest where it is installed, else by cargo alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::outcome::{Options, Outcome, tests};
use super::{browser, packages};
use crate::counts::Counter;
use crate::shell::{answer, cargo, has_program, plain_cargo, run as shell_run};
use crate::tidy::root;

/// What the tests read in the long form, and what it has them do: kill more workers, and try all of a table instead of a part.
const LONG: [(&str, &str); 3] = [
    ("QUORATE_KILLS", "1000"),
    ("QUORATE_HOSTILE", "all"),
    ("QUORATE_FUZZ_ROUNDS", "1000"),
];

/// Where Debian's packages put each release of PostgreSQL.
const POSTGRES: &str = "/usr/lib/postgresql";

/// Debian's package of it.
const POSTGRES_PACKAGES: [&str; 1] = ["postgresql"];

/// Debian's mail server, in the package that brings little else.
const EXIM: &str = "/usr/sbin/exim4";
const EXIM_PACKAGES: [&str; 1] = ["exim4-daemon-light"];

/// What tests look for that need it, as below. It starts for root alone with settings of its own.
const NEEDS_EXIM: &str = "QUORATE_NEEDS_EXIM";

/// What tests look for that need a server: with it they fail where there is none, without it they do nothing.
const NEEDS_POSTGRES: &str = "QUORATE_NEEDS_POSTGRES";

/// What speaks S3 to tests, in Python, and where it is put on machines that lack it.
const S3: &str = "moto_server";
const S3_PACKAGE: &str = "moto[server]==5.2.1";
const TOOLS: &str = "target/tools";

/// What tests look for that need it: the program.
const S3_PROGRAM: &str = "QUORATE_S3";

pub(super) fn run(options: &Options) -> Result<Outcome> {
    let long = LONG.iter().filter(|_| options.long).copied();
    let missing = || {
        let is_there = Path::new(POSTGRES).is_dir();
        (!is_there).then_some("PostgreSQL server")
    };
    let postgres = packages::find(missing, &POSTGRES_PACKAGES)?;
    if let Err(reason) = &postgres {
        println!("skipped what needs a database of its own: {reason}");
    }
    let exim = exim()?;
    if let Err(reason) = &exim {
        println!("skipped what needs a mail server of its own: {reason}");
    }
    let s3 = s3()?;
    if s3.is_none() {
        println!("skipped what needs a bucket: pip could not install {S3_PACKAGE}");
    }
    let with_servers = |command: &mut Command| {
        if let Some(s3) = &s3 {
            command.env(S3_PROGRAM, s3);
        }
        if postgres.is_ok() {
            command.env(NEEDS_POSTGRES, "1");
        }
        if exim.is_ok() {
            command.env(NEEDS_EXIM, "1");
        }
    };
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
        with_servers(&mut nextest);
        tests(nextest.envs(long))?
    } else {
        let mut cargo_test = cargo("test");
        cargo_test.args([
            "--workspace",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
        ]);
        with_servers(&mut cargo_test);
        shell_run(cargo_test.envs(long), Counter::new(Some(browser::TARGET))?)?
    };
    let documented = tests(cargo("test").args(["--workspace", "--no-fail-fast", "--doc"]))?;
    ran.succeeded &= documented.succeeded;
    ran.tally += documented.tally;
    Ok(Outcome::of_tests(&ran))
}

/// The service that speaks S3; none where it cannot be had.
fn s3() -> Result<Option<PathBuf>> {
    if has_program(S3) {
        return Ok(Some(S3.into()));
    }
    let tools = root().join(TOOLS);
    let program = tools.join("bin").join(S3);
    if program.is_file() {
        return Ok(Some(program));
    }
    let python = has_program("python3");
    let made = python && {
        let mut made = Command::new("python3");
        tests(made.args(["-m", "venv"]).arg(&tools))?.succeeded
    };
    let installed = made && {
        let mut pip = Command::new(tools.join("bin/pip"));
        tests(pip.args(["install", "--quiet", S3_PACKAGE]))?.succeeded
    };
    Ok(installed.then_some(program))
}

/// Whether tests can have Exim. It is not put in the place of another mail server.
fn exim() -> Result<Result<(), String>> {
    if !packages::is_root() {
        return Ok(Err(
            "only root can start one with settings of its own".to_owned()
        ));
    }
    if !Path::new(EXIM).exists() && has_program("sendmail") {
        return Ok(Err("this machine has another one".to_owned()));
    }
    let missing = || (!Path::new(EXIM).exists()).then_some("Exim");
    packages::find(missing, &EXIM_PACKAGES)
}
