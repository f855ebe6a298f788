//! A template is read and edited by people: its lines are no longer than those of code.

use super::finding::Finding;
use super::repo::{Repo, has_extension};

const LINE_SIGNS_MAX: usize = 120;

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repo.texts.iter().filter(|(path, _)| is_template(path)) {
        for (index, line) in text.lines().enumerate() {
            let signs = line.chars().count();
            if signs > LINE_SIGNS_MAX {
                let message = format!("a line of {signs} signs; at most {LINE_SIGNS_MAX}");
                findings.push(Finding::error(path, index + 1, message));
            }
        }
    }
    findings
}

/// Whether a file is one of the templates that pages are drawn with.
pub(super) fn is_template(path: &str) -> bool {
    path.starts_with("crates/") && has_extension(path, "html") && !path.contains("/tests/")
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn every_template_can_be_edited() {
        assert_holds(check);
    }

    #[test]
    fn a_long_line_is_noticed_and_a_fixture_may_have_one() {
        let (fits, long) = ("é".repeat(120), "é".repeat(121));
        let repo = Repo::of(&[
            ("crates/a/src/b.html", &format!("{fits}\n{long}\n")),
            ("crates/a/tests/fixtures/b.html", &long),
            ("docs/b.html", &long),
        ]);
        assert_eq!(
            found(check, &repo),
            ["crates/a/src/b.html:2: a line of 121 signs; at most 120"]
        );
    }
}
