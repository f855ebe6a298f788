//! Files and functions stay small enough to be read at a sitting and on a screen.

use super::finding::Finding;
use super::repo::Repo;

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;

/// How a long file begins its reason, in the comment at its top.
const REASON: &str = "//! Long because ";

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in repo.rust() {
        let text = &repo.texts[path];
        let explained = text.lines().any(|line| line.starts_with(REASON));
        let line_count = text.lines().count();
        if line_count > FILE_LINES_MAX && !explained {
            let message = format!("{line_count} lines; split it, or begin with `{REASON}…`");
            findings.push(Finding::error(path, 1, message));
        }
        let functions = source.functions();
        for long in functions
            .iter()
            .filter(|f| f.line_count > FUNCTION_LINES_MAX && !explained)
        {
            let message = format!("`{}` has {} lines", long.name, long.line_count);
            findings.push(Finding::advice(path, long.line, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn no_file_is_long_without_a_reason() {
        assert_holds(check);
    }

    #[test]
    fn a_long_file_needs_a_reason_and_a_long_function_gets_advice() {
        let long_file = "struct A;\n".repeat(601);
        let explained = format!("{REASON}it is a table.\n{long_file}");
        let long_function = format!("fn f() {{\n{}}}\n", "g();\n".repeat(70));
        let repo = Repo::of(&[
            ("a.rs", &long_file),
            ("b.rs", &explained),
            ("c.rs", &long_function),
        ]);
        assert_eq!(
            found(check, &repo),
            [
                "a.rs:1: 601 lines; split it, or begin with `//! Long because …`",
                "c.rs:1: advice: `f` has 72 lines",
            ]
        );
    }
}
