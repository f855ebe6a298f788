//! Runs other programs, shows what they print and counts the tests in it.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::counts::{Counter, Tally};
use crate::tidy::root;

/// How a program came out.
pub(crate) struct Ran {
    pub(crate) succeeded: bool,
    pub(crate) tally: Tally,
}

/// The cargo that runs us, with plain output. On a build machine it keeps to `Cargo.lock`, which
/// stands after the whole subcommand: `nextest run --locked`.
pub(crate) fn cargo(subcommand: &str) -> Command {
    let mut command = plain_cargo(subcommand);
    if std::env::var_os("CI").is_some() {
        command.arg("--locked");
    }
    command
}

/// The same for what knows no `--locked`.
pub(crate) fn plain_cargo(subcommand: &str) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command
        .args(subcommand.split(' '))
        .current_dir(root())
        .env("CARGO_TERM_COLOR", "never");
    command
}

/// Runs a program to its end, line by line.
pub(crate) fn run(command: &mut Command, counter: Counter) -> Result<Ran> {
    let mut counter = counter;
    let name = command.get_program().to_string_lossy().into_owned();
    // One pipe for both, so that a total stands after the line that says what it is of.
    let (reader, writer) = std::io::pipe()?;
    let mut child = command
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("starting {name}"))?;
    // The command holds the pipe's other end until its streams are something else.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        println!("{text}");
        counter.read(text);
        line.clear();
    }
    let succeeded = child.wait()?.success();
    Ok(Ran {
        succeeded,
        tally: counter.tally(),
    })
}

/// Runs a program for its answer alone; `None` if there is no such program or it fails.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether there is such a program.
pub(crate) fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Builds the `quorate` binary and says where it is; `None` if it does not build.
///
/// It is built as the tests of the whole workspace build it, on which the unit step has done the work already: built for
/// itself, half of the libraries under it would have other features, and would be compiled once more.
pub(crate) fn build_quorate() -> Result<Option<PathBuf>> {
    let mut build = cargo("test");
    build.args([
        "--workspace",
        "--test",
        "bad_input",
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
    ]);
    let output = build
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Ok(None);
    }
    let mut binary = None;
    for message in cargo_metadata::Message::parse_stream(output.stdout.as_slice()) {
        if let cargo_metadata::Message::CompilerArtifact(artifact) = message?
            && artifact.target.is_bin()
            && artifact.target.name == "quorate"
        {
            binary = artifact.executable.map(PathBuf::from).or(binary);
        }
    }
    Ok(binary)
}
