//! `quorate coverage`: which ids of a checklist the rule tests prove.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A rulebook: a folder, or the name of one in the rulebooks folder.
    rulebook: String,
    /// A file with lines such as: - `2019.1.5a` — what it says. [code]
    #[arg(long)]
    checklist: PathBuf,
}

/// Compares.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let book = rulebooks::read(&arguments.rulebook)?;
    let checklist = rulebooks::read_text(&arguments.checklist)?;
    let (wanted, listed) = ids(&checklist);
    let claimed: BTreeSet<String> = book
        .tests
        .iter()
        .flat_map(|(_, code)| proves(code))
        .collect();
    let proven: Vec<_> = wanted
        .iter()
        .filter(|id| claimed.contains(*id))
        .cloned()
        .collect();
    let unproven: Vec<_> = wanted
        .iter()
        .filter(|id| !claimed.contains(*id))
        .cloned()
        .collect();
    let unknown: Vec<_> = claimed
        .iter()
        .filter(|id| !listed.contains(*id))
        .cloned()
        .collect();
    out.value(&json!({ "proven": proven, "unproven": unproven, "unknown": unknown }));
    out.line(format!(
        "{} of {} clauses proven",
        proven.len(),
        wanted.len()
    ));
    if !unproven.is_empty() {
        out.line(format!("{}: {}", out.red("unproven"), unproven.join(", ")));
    }
    if !unknown.is_empty() {
        out.line(format!(
            "{}: {}",
            out.red("not in the checklist"),
            unknown.join(", ")
        ));
    }
    let fine = unproven.is_empty() && unknown.is_empty();
    Ok(if fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

/// The ids marked `[code]`, in order, and all ids.
fn ids(checklist: &str) -> (Vec<String>, BTreeSet<String>) {
    let mut wanted = Vec::new();
    let mut listed = BTreeSet::new();
    for line in checklist.lines() {
        let Some(mut rest) = line.strip_prefix("- ") else {
            continue;
        };
        // A line may be about several ids.
        let mut of_line = Vec::new();
        while let Some((id, after)) = rest.strip_prefix('`').and_then(|id| id.split_once('`')) {
            of_line.push(id.to_owned());
            rest = after;
            let Some(more) = rest.strip_prefix(", ") else {
                break;
            };
            rest = more;
        }
        listed.extend(of_line.iter().cloned());
        if rest.contains("[code]") {
            of_line.retain(|id| !wanted.contains(id));
            wanted.extend(of_line);
        }
    }
    (wanted, listed)
}

/// The ids in the `Proves:` lines of a test file.
fn proves(code: &str) -> Vec<String> {
    let lines = code
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Proves:"));
    let ids = lines.flat_map(|line| {
        line.split(',')
            .map(|id| id.trim().trim_end_matches("\"\"\"").trim().to_owned())
            .collect::<Vec<_>>()
    });
    ids.filter(|id| !id.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checklist_gives_its_ids_and_tests_give_theirs() {
        let (wanted, listed) = ids(
            "- `1.2a`, `1.2c` — a thing. [code]\n- `1.2b` — see `1.9`. [judgement]\n- `2` `[code]` no comma.\n- no id. [code]\n",
        );
        assert_eq!(wanted, ["1.2a", "1.2c", "2"]);
        assert_eq!(listed.len(), 4);
        assert_eq!(
            proves("def test_x():\n    \"\"\"It holds.\n\n    Proves: 1.2a, 1.2b\"\"\"\n"),
            ["1.2a", "1.2b"]
        );
    }
}
