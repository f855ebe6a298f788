//! Files and functions stay small enough to be read at a sitting and on a screen.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::repo::Repo;

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;

/// Files that are longer, up to which line, and why.
const LONG_FILES: [(&str, usize, &str); 7] = [
    (
        "crates/quorate-kernel/tests/golden/samples.rs",
        900,
        "one event of every kind, as version 1 of the log has it",
    ),
    (
        "crates/quorate-engine/src/law.rs",
        870,
        "every declaration that a law can hold is filed here, and nothing else is",
    ),
    (
        "crates/quorate-engine/src/tx.rs",
        680,
        "the working copy of a run and the ways to each of its parts",
    ),
    (
        "crates/quorate-forecast/src/words.rs",
        680,
        "the words of each part of a forecast",
    ),
    (
        "crates/quorate-server/src/site/compose/pick.rs",
        680,
        "what can be picked for a change, kind after kind",
    ),
    (
        "crates/quorate-server/src/site/post/handler.rs",
        680,
        "the page of a post, part after part",
    ),
    (
        "crates/quorate-store/tests/file.rs",
        680,
        "tests of one file, each with its own damage",
    ),
];

/// Functions that are longer, by their files, and why.
const LONG_FUNCTIONS: [(&str, &str, &str); 10] = [
    (
        "crates/quorate-engine/src/changes/written.rs",
        "written_of_things",
        "one arm for each kind of change",
    ),
    (
        "crates/quorate-engine/src/decide/acts.rs",
        "act_of_player",
        "one arm for each act",
    ),
    (
        "crates/quorate-engine/src/decide/found.rs",
        "found",
        "the first event, row after row",
    ),
    (
        "crates/quorate-engine/src/decide/undo.rs",
        "turn",
        "one arm for each kind of effect",
    ),
    (
        "crates/quorate-engine/src/fields.rs",
        "read",
        "one arm for each type of value",
    ),
    (
        "crates/quorate-engine/src/law.rs",
        "take",
        "one arm for each declaration",
    ),
    (
        "crates/quorate-engine/src/law.rs",
        "take_acting",
        "one arm for each declaration of those that act",
    ),
    (
        "crates/quorate-engine/src/testing/changes.rs",
        "change",
        "one arm for each kind of change",
    ),
    (
        "crates/quorate-engine/src/testing/looking.rs",
        "question",
        "one arm for each question",
    ),
    (
        "crates/quorate-engine/src/topics/change_records.rs",
        "change_record",
        "one arm for each kind of change",
    ),
];

/// How a file may not begin: its head says what it is, and its reason stands here.
const REASON: &str = concat!("//! Long ", "because");

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    check_but_for(repo, &LONG_FILES, &LONG_FUNCTIONS)
}

fn check_but_for(
    repo: &Repo,
    long_files: &[(&str, usize, &str)],
    long_functions: &[(&str, &str, &str)],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut long = BTreeSet::new();
    for (path, _) in repo.rust() {
        let text = &repo.texts[path];
        let line_count = text.lines().count();
        let listed = long_files.iter().find(|(listed, ..)| *listed == path);
        let most = listed.map_or(FILE_LINES_MAX, |(_, most, _)| *most);
        if line_count > FILE_LINES_MAX {
            long.insert((path, ""));
        }
        if line_count > most {
            let message = format!(
                "{line_count} lines, and at most {most}; split it, or say why in LONG_FILES"
            );
            findings.push(Finding::error(path, 1, message));
        }
        for (index, _) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.starts_with(REASON))
        {
            let message = "why it is long stands in LONG_FILES; here stands what it is";
            findings.push(Finding::error(path, index + 1, message));
        }
    }
    // A test and a sample page are read from top to bottom, however long.
    for (path, source) in repo.production() {
        let functions = source.functions();
        for function in functions
            .iter()
            .filter(|f| f.line_count > FUNCTION_LINES_MAX)
        {
            let is =
                |(file, name, _): &&(&str, &str, &str)| *file == path && *name == function.name;
            if let Some((_, name, _)) = long_functions.iter().find(is) {
                long.insert((path, *name));
            } else {
                let message = format!("`{}` has {} lines", function.name, function.line_count);
                findings.push(Finding::advice(path, function.line, message));
            }
        }
    }
    let files = long_files
        .iter()
        .map(|(path, _, reason)| (*path, "", *reason));
    for (path, function, reason) in files.chain(long_functions.iter().copied()) {
        if !long.contains(&(path, function)) {
            let message = format!("no longer long, which was allowed: {reason}");
            findings.push(Finding::error(path, 1, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn no_file_and_no_function_is_long_without_a_reason() {
        assert_holds(check);
    }

    #[test]
    fn what_is_long_needs_a_reason_and_a_reason_needs_what_is_long() {
        let long_file = "struct A;\n".repeat(601);
        let heading = format!("{REASON} it is a table.\n");
        let long_function = format!("fn f() {{\n{}}}\n", "g();\n".repeat(70));
        let repo = Repo::of(&[
            ("a.rs", &long_file),
            ("b.rs", &long_file),
            ("crates/a/src/c.rs", &long_function),
            ("crates/a/src/d.rs", &long_function),
            ("e.rs", &heading),
            ("f.rs", ""),
        ]);
        let check = |repo: &Repo| {
            let files = [("b.rs", 601, "a table"), ("f.rs", 900, "a poem")];
            check_but_for(
                repo,
                &files,
                &[
                    ("crates/a/src/d.rs", "f", "a list"),
                    ("f.rs", "f", "a song"),
                ],
            )
        };
        assert_eq!(
            found(check, &repo),
            [
                "a.rs:1: 601 lines, and at most 600; split it, or say why in LONG_FILES",
                "e.rs:1: why it is long stands in LONG_FILES; here stands what it is",
                "crates/a/src/c.rs:1: `f` has 72 lines",
                "f.rs:1: no longer long, which was allowed: a poem",
                "f.rs:1: no longer long, which was allowed: a song",
            ]
        );
    }
}
