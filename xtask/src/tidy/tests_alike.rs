//! A test runs, always, and fails for one reason: none is ignored, none hopes for some panic, none
//! waits for time to pass.

use super::finding::Finding;
use super::repo::Repo;

// Put together, so that this file does not find itself.
const BANNED: [(&str, &str); 4] = [
    (
        concat!("#[", "ignore"),
        "run it, or test what holds today and say why it is wrong",
    ),
    (
        concat!("#[", "should_panic"),
        "assert the error that is meant",
    ),
    (concat!("thread::", "sleep("), "wait for the thing itself"),
    (concat!("time::", "sleep(std"), "wait for the thing itself"),
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in &repo.texts {
        if !super::repo::has_extension(path, "rs") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            for (banned, instead) in BANNED.iter().filter(|(banned, _)| line.contains(banned)) {
                let message = format!("`{banned}`: {instead}");
                findings.push(Finding::error(path, index + 1, message));
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
    fn no_test_of_this_repository_is_ignored() {
        assert_holds(check);
    }

    #[test]
    fn an_ignored_test_is_noticed() {
        let text = format!("{}]\nfn f() {{}}", BANNED[0].0);
        assert_eq!(found(check, &Repo::of(&[("a.rs", &text)])).len(), 1);
    }
}
