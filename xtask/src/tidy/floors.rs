//! Each crate stands on a floor and imports only floors below it, in its tests and builds too.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::repo::Repo;

/// The floors of the house. Two crates of one floor do not know each other.
const FLOORS: [(&str, u8); 13] = [
    ("quorate-kernel", 0),
    ("quorate-law", 1),
    ("quorate-engine", 2),
    ("quorate-forecast", 3),
    ("quorate-import", 3),
    ("quorate-runtime", 3),
    ("quorate-lab", 5),
    ("quorate-notices", 4),
    ("quorate-store", 5),
    ("quorate-store-postgres", 5),
    ("quorate-server", 5),
    ("quorate-worker", 5),
    ("quorate", 6),
];

/// Up to this floor everything is a function of its arguments.
const TOP_PURE_FLOOR: u8 = 2;

/// Above it this crate is one all the same.
const PURE_ABOVE: &str = "quorate-forecast";

/// Outside the house: it builds and checks, and no crate may need it.
const OUTSIDE: &str = "xtask";

/// The floor of a crate; `None` outside the house.
pub(super) fn floor(name: &str) -> Option<u8> {
    FLOORS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, floor)| *floor)
}

/// Whether a crate is a function of its arguments.
pub(super) fn is_pure(name: &str) -> bool {
    name == PURE_ABOVE || floor(name).is_some_and(|floor| floor <= TOP_PURE_FLOOR)
}

/// Whether a path lies in the sources of a pure crate: code, not tests.
pub(super) fn is_pure_source(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("crates")
        && parts.next().is_some_and(is_pure)
        && parts.next() == Some("src")
        && !parts.any(|part| part == "tests" || part == "tests.rs")
}

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let members: BTreeMap<&str, &str> = repo
        .members
        .iter()
        .map(|m| (m.name.as_str(), m.folder.as_str()))
        .collect();
    let mut findings = Vec::new();
    for member in &repo.members {
        let manifest = format!("{}/Cargo.toml", member.folder);
        let own = floor(&member.name);
        if own.is_none() && member.name != OUTSIDE {
            let message = format!("`{}` has no floor; give it one in FLOORS", member.name);
            findings.push(Finding::error(&manifest, 1, message));
        }
        for other in member
            .direct
            .iter()
            .filter(|d| members.contains_key(d.as_str()) && **d != member.name)
        {
            let below = own
                .zip(floor(other))
                .is_some_and(|(own, other)| other < own);
            if !below {
                let message = format!("`{}` may not depend on `{other}`", member.name);
                findings.push(Finding::error(&manifest, 1, message));
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
    fn no_crate_of_this_repository_imports_upward() {
        assert_holds(check);
    }

    #[test]
    fn up_and_sideways_are_refused_and_down_is_not() {
        let repo = Repo::default()
            .with_member("quorate-kernel", &["serde", "quorate-law"])
            .with_member("quorate-law", &["quorate-kernel"])
            .with_member("quorate-store", &["quorate-kernel", "quorate-server"])
            .with_member("quorate-server", &["xtask"])
            .with_member("xtask", &[]);
        assert_eq!(
            found(check, &repo),
            [
                "crates/quorate-kernel/Cargo.toml:1: `quorate-kernel` may not depend on `quorate-law`",
                "crates/quorate-store/Cargo.toml:1: `quorate-store` may not depend on `quorate-server`",
                "crates/quorate-server/Cargo.toml:1: `quorate-server` may not depend on `xtask`",
            ]
        );
    }

    #[test]
    fn a_crate_without_a_floor_is_noticed() {
        let repo = Repo::default().with_member("quorate-attic", &[]);
        assert!(found(check, &repo)[0].contains("has no floor"));
    }

    #[test]
    fn tests_of_a_pure_floor_are_not_its_sources() {
        assert!(is_pure_source("crates/quorate-law/src/host/roll.rs"));
        assert!(!is_pure_source("crates/quorate-law/src/host/tests.rs"));
        assert!(!is_pure_source("crates/quorate-law/tests/check.rs"));
        assert!(!is_pure_source("crates/quorate-runtime/src/writer.rs"));
    }
}
