//! A type has a name of its own: whoever reads it in one file needs not ask which of several it is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::finding::Finding;
use super::repo::Repo;

/// Why a piece of a page may be called as what it draws.
const DRAWN: &str = "`ui` has the drawing of what the kernel or the engine has";

/// Names that several types may have, and why.
const SHARED: [(&str, &str); 21] = [
    (
        "Answer",
        "the law answers questions, a game answers commands",
    ),
    ("Arguments", "each command has its own, as clap asks for"),
    ("Cell", DRAWN),
    ("Change", DRAWN),
    ("Comment", DRAWN),
    ("Die", DRAWN),
    ("Explain", "each store says its own database's errors"),
    ("Field", DRAWN),
    ("Line", DRAWN),
    ("Need", DRAWN),
    ("Offer", DRAWN),
    ("Outcome", DRAWN),
    ("Person", DRAWN),
    ("Query", "each store has that of its own database"),
    ("ReadRow", "each store reads rows of its own database"),
    ("Reader", DRAWN),
    ("Refusal", DRAWN),
    (
        "Result",
        "each file's own errors, as the standard library does it",
    ),
    ("Section", DRAWN),
    ("Square", DRAWN),
    ("Step", DRAWN),
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    check_but_for(repo, &SHARED)
}

fn check_but_for(repo: &Repo, shared: &[(&str, &str)]) -> Vec<Finding> {
    let names = defined(repo);
    let mut findings = Vec::new();
    for (name, places) in names.iter().filter(|(_, places)| places.len() > 1) {
        if !shared.iter().any(|(allowed, _)| allowed == name) {
            let (path, line) = places[0];
            let others: Vec<&str> = places[1..].iter().map(|(path, _)| *path).collect();
            let message = format!("`{name}` is also a type in {}", others.join(", "));
            findings.push(Finding::error(path, line, message));
        }
    }
    for (name, reason) in shared {
        if names.get(*name).is_none_or(|places| places.len() < 2) {
            let message = format!("`{name}` is one type, and was to be several: {reason}");
            findings.push(Finding::error("xtask/src/tidy/names.rs", 1, message));
        }
    }
    findings
}

/// The names that are defined more than once, the most frequent first, and where.
pub(super) fn list(repo: &Repo) -> String {
    let names = defined(repo);
    let mut repeated: Vec<_> = names
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .collect();
    repeated.sort_by_key(|(name, places)| (usize::MAX - places.len(), *name));
    let mut list = String::new();
    for (name, places) in &repeated {
        let places: Vec<String> = places
            .iter()
            .map(|(path, line)| format!("{}:{line}", path.trim_start_matches("crates/")))
            .collect();
        let _ = writeln!(list, "{} {name}: {}", places.len(), places.join(" "));
    }
    let _ = writeln!(list, "{} of {} names", repeated.len(), names.len());
    list
}

// Where each type is defined, in all that is no test.
fn defined(repo: &Repo) -> BTreeMap<String, Vec<(&str, usize)>> {
    let mut names: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for (path, source) in repo.production() {
        for name in source.types() {
            names.entry(name.text).or_default().push((path, name.line));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    fn repo() -> Repo {
        Repo::of(&[
            (
                "crates/a/src/lib.rs",
                "pub struct Draft;\nmod b { trait Draft {} }\ntype Span = u8;\n",
            ),
            (
                "crates/b/src/lib.rs",
                "fn f() { enum Draft {} }\n#[cfg(test)]\nmod tests { struct Span; }\n",
            ),
            ("crates/b/src/x/tests.rs", "struct Span;"),
            ("crates/b/tests/x.rs", "struct Span;"),
        ])
    }

    #[test]
    fn no_type_shares_its_name_without_a_reason() {
        assert_holds(check);
    }

    #[test]
    fn a_name_of_two_types_is_noticed_and_tests_may_do_as_they_like() {
        let message = "crates/a/src/lib.rs:1: `Draft` is also a type in crates/a/src/lib.rs, crates/b/src/lib.rs";
        assert_eq!(found(|repo| check_but_for(repo, &[]), &repo()), [message]);
        assert_eq!(
            list(&repo()),
            "3 Draft: a/src/lib.rs:1 a/src/lib.rs:2 b/src/lib.rs:1\n1 of 2 names\n"
        );
    }

    #[test]
    fn a_reason_holds_while_there_are_several() {
        let shared = [("Draft", "each is one"), ("Span", "there were two")];
        let message =
            "xtask/src/tidy/names.rs:1: `Span` is one type, and was to be several: there were two";
        assert_eq!(
            found(|repo| check_but_for(repo, &shared), &repo()),
            [message]
        );
    }
}
