//! The glossary has a line for each public type of the crates that everybody builds on, and none for
//! a type that is gone.

use std::collections::BTreeMap;

use regex::Regex;

use super::finding::Finding;
use super::modules::Modules;
use super::repo::Repo;

const GLOSSARY: &str = "docs/glossary.md";

/// The crates, and how the glossary calls them: ``- `State` (kernel): a game as it stands.``
const CRATES: [(&str, &str); 2] = [("quorate-kernel", "kernel"), ("quorate-law", "law")];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let (Some(text), Ok(entry)) = (
        repo.texts.get(GLOSSARY),
        Regex::new(r"^- `([^`]+)`(?: \(([a-z ]+)\))?: \S"),
    ) else {
        return vec![Finding::error(GLOSSARY, 1, "the glossary is missing")];
    };
    let mut entries: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(entry) = entry.captures(line) else {
            continue;
        };
        let term = entry.get(1).map_or("", |term| term.as_str());
        for home in entry
            .get(2)
            .map_or("", |homes| homes.as_str())
            .split(" and ")
        {
            if entries.insert((term, home), index + 1).is_some() {
                findings.push(Finding::error(
                    GLOSSARY,
                    index + 1,
                    format!("`{term}` a second time"),
                ));
            }
        }
    }
    for (name, home) in CRATES {
        let member = repo.members.iter().find(|member| member.name == name);
        let root = member.map(|member| format!("{}/src/lib.rs", member.folder));
        let Some(modules) = root.and_then(|root| Modules::read(repo, &root)) else {
            continue;
        };
        let types = modules.public_types();
        for gone in types
            .iter()
            .filter(|name| !entries.contains_key(&(name.as_str(), home)))
        {
            let message = format!("no line ``- `{gone}` ({home}): …``");
            findings.push(Finding::error(GLOSSARY, 1, message));
        }
        for ((term, _), line) in entries.iter().filter(|((_, of), _)| *of == home) {
            if !types.contains(*term) && !modules.may_define(term) {
                let message = format!("`{term}` is no public type of {name}");
                findings.push(Finding::error(GLOSSARY, *line, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn the_glossary_is_complete() {
        assert_holds(check);
    }

    #[test]
    fn a_type_without_a_line_and_a_line_without_a_type_are_noticed() {
        let glossary = "- `State` (kernel): a game.\n- `GameId` (kernel): a name.\n- `Name` (kernel and law): a name.\n\
            - `Gone` (kernel): it went.\n- `act`: something done.\n- `Name` (kernel): again.\n";
        let repo = Repo::of(&[
            (GLOSSARY, glossary),
            (
                "crates/quorate-kernel/src/lib.rs",
                "pub mod state; mod name; pub use name::{Name, Title as Heading, N_MAX, f}; pub enum Act {} struct Own;",
            ),
            ("crates/quorate-kernel/src/state.rs", "id_of!(GameId); pub struct State; #[cfg(test)] pub struct Test;"),
            ("crates/quorate-kernel/src/name.rs", "pub struct Name; pub struct Title; pub struct Hidden;"),
        ])
        .with_member("quorate-kernel", &[]);
        assert_eq!(
            found(check, &repo),
            [
                "docs/glossary.md:6: `Name` a second time",
                "docs/glossary.md:1: no line ``- `Act` (kernel): …``",
                "docs/glossary.md:1: no line ``- `Heading` (kernel): …``",
                "docs/glossary.md:4: `Gone` is no public type of quorate-kernel",
            ]
        );
    }
}
