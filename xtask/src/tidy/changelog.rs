//! The changelog has a place for what is not released yet, sorted by who will read it.

use super::finding::Finding;
use super::repo::Repo;

const CHANGELOG: &str = "CHANGELOG.md";
const UNRELEASED: &str = "## Unreleased";
const READERS: [&str; 5] = ["Players", "Rule authors", "Admins", "Operators", "Inside"];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let text = repo.texts.get(CHANGELOG).map_or("", String::as_str);
    let mut findings = Vec::new();
    if !text.lines().any(|line| line == UNRELEASED) {
        findings.push(Finding::error(
            CHANGELOG,
            1,
            format!("it has no `{UNRELEASED}`"),
        ));
    }
    for (index, line) in text.lines().enumerate() {
        if line
            .strip_prefix("### ")
            .is_some_and(|reader| !READERS.contains(&reader))
        {
            let message = format!("`{line}`: its readers are {}", READERS.join(", "));
            findings.push(Finding::error(CHANGELOG, index + 1, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn the_changelog_is_sorted_by_reader() {
        assert_holds(check);
    }

    #[test]
    fn an_unknown_reader_and_a_missing_part_are_noticed() {
        let repo = Repo::of(&[(CHANGELOG, "## 0.1.0\n### Players\n### Fixed\n")]);
        let found = found(check, &repo);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
