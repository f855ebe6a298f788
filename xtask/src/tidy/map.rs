//! The map in `ARCHITECTURE.md` shows the crates that there are, and each of its invariants names
//! the check, lint or test that holds it.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::repo::Repo;

const MAP: &str = "ARCHITECTURE.md";

/// The heading under which each crate has one of its own: ``### `crates/quorate-kernel` ``.
const HEADING: &str = "## The map";
const INVARIANT: &str = "**Invariant:**";

/// How an invariant goes on to its twin, a file in code marks.
const HELD_BY: &str = "Held by `";

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let Some(text) = repo.texts.get(MAP) else {
        return vec![Finding::error(MAP, 1, "the map of the crates is missing")];
    };
    let entries = entries(text);
    let shown: BTreeSet<&str> = entries.iter().map(|e| e.folder).collect();
    let real: BTreeSet<&str> = repo.members.iter().map(|m| m.folder.as_str()).collect();
    let mut findings: Vec<Finding> = real
        .difference(&shown)
        .map(|folder| Finding::error(MAP, 1, format!("`{folder}` is not on the map")))
        .collect();
    for entry in &entries {
        if !real.contains(entry.folder) {
            let message = format!("`{}` is on the map and no crate", entry.folder);
            findings.push(Finding::error(MAP, entry.line, message));
        }
        if entry.invariants.is_empty() {
            let message = format!("`{}` has no `{INVARIANT}`", entry.folder);
            findings.push(Finding::error(MAP, entry.line, message));
        }
        for (line, _) in entry
            .invariants
            .iter()
            .filter(|(_, text)| !text.contains(HELD_BY))
        {
            let message = format!("an invariant that nothing checks: say `{HELD_BY}…`");
            findings.push(Finding::error(MAP, *line, message));
        }
    }
    findings
}

struct Entry<'t> {
    line: usize,
    folder: &'t str,
    /// The first line and the whole text of each.
    invariants: Vec<(usize, String)>,
}

fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut in_map = false;
    let mut in_invariant = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("## ") {
            in_map = line == HEADING;
        }
        if !in_map {
            continue;
        }
        if let Some(folder) = line.strip_prefix("### `").and_then(|l| l.strip_suffix('`')) {
            entries.push(Entry {
                line: index + 1,
                folder,
                invariants: Vec::new(),
            });
        }
        let Some(entry) = entries.last_mut() else {
            continue;
        };
        if line.contains(INVARIANT) {
            entry.invariants.push((index + 1, line.to_owned()));
            in_invariant = true;
        } else if line.trim().is_empty() {
            in_invariant = false;
        } else if let Some((_, text)) = entry.invariants.last_mut().filter(|_| in_invariant) {
            text.push(' ');
            text.push_str(line.trim());
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn the_map_shows_the_crates_that_there_are() {
        assert_holds(check);
    }

    #[test]
    fn a_stale_map_and_an_idle_promise_are_noticed() {
        let map = "## The map\n\
            ### `crates/quorate-law`\n\
            - **Invariant:** no clock. Held by\n  `clippy.toml`.\n\
            - **Invariant:** no fun.\n\
            ### `crates/quorate-gone`\nIt went.\n\
            ## Later\n### `docs`\n";
        let repo = Repo::of(&[(MAP, map)])
            .with_member("quorate-law", &[])
            .with_member("quorate-kernel", &[]);
        assert_eq!(
            found(check, &repo),
            [
                "ARCHITECTURE.md:1: `crates/quorate-kernel` is not on the map",
                "ARCHITECTURE.md:5: an invariant that nothing checks: say `Held by `…`",
                "ARCHITECTURE.md:6: `crates/quorate-gone` is on the map and no crate",
                "ARCHITECTURE.md:6: `crates/quorate-gone` has no `**Invariant:**`",
            ]
        );
    }
}
