//! What was meant for later is done, or stands where its reader looks for it; not in a mark.

use regex::Regex;

use super::finding::Finding;
use super::repo::Repo;

// Put together, so that this file does not find itself.
const PATTERN: &str = concat!(
    r"\b(?:TO",
    r"DO|FIX",
    r"ME|XX",
    r"X)\b|\b(?:to",
    r"do|d",
    r"bg|unimpl",
    r"emented)!\s*[(\[{]"
);

/// Others' words: the licences and the checksums.
const NOT_OURS: [&str; 2] = ["Cargo.lock", "LICENSE-APACHE"];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let Ok(pattern) = Regex::new(PATTERN) else {
        let path = "xtask/src/tidy/leftovers.rs";
        return vec![Finding::error(path, 1, "its pattern cannot be read")];
    };
    let mut findings = Vec::new();
    for (path, text) in repo
        .texts
        .iter()
        .filter(|(path, _)| !NOT_OURS.contains(&path.as_str()))
    {
        for (index, line) in text.lines().enumerate() {
            if let Some(mark) = pattern.find(line) {
                let message = format!("`{}` was left behind", mark.as_str());
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
    fn nothing_is_left_for_later() {
        assert_holds(check);
    }

    #[test]
    fn marks_are_found_and_words_like_them_are_not() {
        let repo = Repo::of(&[
            ("a.rs", concat!("// TO", "DO: later")),
            ("b.rs", concat!("fn f() { to", "do!() }")),
            ("c.md", "A mastodon, the todos of Spain, and !todo."),
        ]);
        let marks = found(check, &repo);
        assert_eq!(marks.len(), 2, "{marks:?}");
    }
}
