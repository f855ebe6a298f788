//! `quorate discord-commands`: the commands of an application on Discord, as its operator registers them.

use std::process::ExitCode;

use crate::output::Output;

/// Prints them.
pub(super) fn run(out: &Output) -> ExitCode {
    out.line(quorate_server::discord_commands().to_string());
    ExitCode::SUCCESS
}
