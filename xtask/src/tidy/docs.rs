//! Every path that the documentation names exists, in code marks and in links.

use regex::Regex;

use super::finding::Finding;
use super::repo::{Repo, has_extension};

/// Endings that make a name with a slash a path, whatever it begins with.
const ENDINGS: [&str; 10] = [
    "rs", "md", "toml", "star", "html", "css", "js", "jsonl", "sql", "yml",
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let (Ok(marks), Ok(links)) = (
        Regex::new(r"`([^`\s]+)`"),
        Regex::new(r"\]\(([^)\s#]+)[^)]*\)"),
    ) else {
        return vec![Finding::error(
            "xtask/src/tidy/docs.rs",
            1,
            "its patterns cannot be read",
        )];
    };
    let mut findings = Vec::new();
    for (doc, text) in repo.texts.iter().filter(|(path, _)| is_documentation(path)) {
        let mut fenced = false;
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            } else if !fenced {
                let named = marks.captures_iter(line).map(|c| c[1].to_owned());
                let named = named.filter(|name| is_path(repo, name));
                let linked = links.captures_iter(line).map(|c| c[1].to_owned());
                let linked = linked.filter(|l| !l.contains(':')).map(|l| beside(doc, &l));
                for path in named.chain(linked).filter(|path| !exists(repo, path)) {
                    findings.push(Finding::error(doc, index + 1, format!("no `{path}` here")));
                }
            }
        }
    }
    findings
}

fn is_documentation(path: &str) -> bool {
    has_extension(path, "md") && (!path.contains('/') || path.starts_with("docs/"))
}

// A path is told by where it begins or how it ends; `POST /games/{game}` and `a/b` are none.
fn is_path(repo: &Repo, name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let Some((first, _)) = name.split_once('/') else {
        return false;
    };
    let begins = repo.paths.contains(first);
    let ends = ENDINGS.iter().any(|ending| has_extension(name, ending));
    !first.is_empty() && name.chars().all(plain) && (begins || ends)
}

fn exists(repo: &Repo, path: &str) -> bool {
    repo.paths.contains(path.trim_end_matches('/'))
}

// Links are relative to their page.
fn beside(doc: &str, link: &str) -> String {
    let mut parts: Vec<&str> = doc.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn every_path_in_the_documentation_exists() {
        assert_holds(check);
    }

    #[test]
    fn a_path_that_went_is_noticed() {
        let page = "Read `src/old.rs`, `src/new.rs`, `src/`, `GET /src/x` and `either/or`.\n\
            [old](../src/old.rs) [new](../src/new.rs#top) [far](https://example.org/old.rs)\n\
            ```sh\ncat `src/older.rs`\n```\n";
        let repo = Repo::of(&[("docs/page.md", page), ("src/new.rs", "")]);
        assert_eq!(
            found(check, &repo),
            [
                "docs/page.md:1: no `src/old.rs` here",
                "docs/page.md:2: no `src/old.rs` here"
            ]
        );
    }
}
