//! `quorate docs`: the reference of what rule code can call and read, as `docs/reference.md` has it.

use std::process::ExitCode;

use quorate_law::reference;

use crate::out::Out;

/// Prints it.
pub(super) fn run(out: &Out) -> ExitCode {
    out.line(reference::markdown().trim_end());
    ExitCode::SUCCESS
}
