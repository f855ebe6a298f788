//! `quorate docs`: the reference of what rule code can call and read, as `docs/reference.md` has it.

use std::process::ExitCode;

use quorate_law::reference;

use crate::output::Output;

/// Prints it.
pub(super) fn run(out: &Output) -> ExitCode {
    out.line(reference::markdown().trim_end());
    ExitCode::SUCCESS
}
