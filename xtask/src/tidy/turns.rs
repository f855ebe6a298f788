//! Pages, refusals and documents say things the plain way: turns of phrase that a native speaker would not write are named,
//! each with what to write instead.

use regex::Regex;

use super::finding::Finding;
use super::repo::{Repo, has_extension};

/// A turn as it is found, and what stands in its place.
const TURNS: [(&str, &str); 31] = [
    (r"(?i)no vote of yours|vote of yours", "You haven’t voted"),
    (r"\bThe law says no\b", "The rules say no"),
    (r"(?i)\bfell due\b", "automatic"),
    (r"(?i)\bthereof\b", "of it"),
    (r"(?i)\bthus\b", "so"),
    (r"(?i)\bupon\b", "on"),
    (
        r"(?i)\bon neither side\b",
        "who hasn’t voted, or FOR or AGAINST",
    ),
    (r"(?i)\bwho cast none\b", "as its author"),
    (r"(?i)\bgone for good\b|\bdropped for good\b", "permanently"),
    (r"(?i)\bif you like\b", "optional"),
    (r"(?i)leave this as it is", "Don’t change this"),
    (r"(?i)\bput by\b", "archived"),
    (r"(?i)\bset anew\b|\bmade anew\b", "set again, redrawn"),
    (r"\bMend (it|this|a slip|what)\b", "Fix"),
    (r"(?i)would sleep beside", "The code wouldn’t run"),
    (r"(?i)what is on the books about each", "roster"),
    (
        r"(?i)how is for (its|the) rules to say",
        "The rules say how",
    ),
    (r"(?i)the one hand below", "name the person"),
    (r"(?i)newest words of", "last changed"),
    (r"(?i)nobody can be picked", "No one to pick"),
    (r"(?i)whose vote is on", "who hasn’t voted"),
    (r"(?i)\bwhoever\b", "the person who, anyone who"),
    (r"(?i)those who run (this|the)", "an operator, an admin"),
    (r"(?i)for everybody together", "by anyone"),
    (r"(?i)\ba word with it\b", "Your comment"),
    (r"(?i)shall have no name", "gets no name"),
    (
        r"(?i)holds back in a hiatus",
        "Not while the game is in hiatus",
    ),
    (r"(?i)on the books about", "facts about a player"),
    (r"(?i)\banew\b", "again"),
    (r"(?i)\b(lost|kept|refuses|back) for good\b", "permanently"),
    (
        r"(?i)a move is a change of the rules",
        "you play by changing the rules",
    ),
];

pub(super) fn check(repo: &Repo) -> Vec<Finding> {
    let mut turns = Vec::new();
    for (turn, instead) in TURNS {
        let Ok(turn) = Regex::new(turn) else {
            let path = "xtask/src/tidy/turns.rs";
            return vec![Finding::error(path, 1, format!("`{turn}` cannot be read"))];
        };
        turns.push((turn, instead));
    }
    let mut findings = Vec::new();
    for (path, text) in repo
        .texts
        .iter()
        .filter(|(path, _)| is_read_by_people(path))
    {
        for (index, line) in text.lines().enumerate() {
            for (turn, instead) in &turns {
                if let Some(found) = turn.find(said(path, line)) {
                    let message = format!("`{}`: write “{instead}”", found.as_str());
                    findings.push(Finding::error(path, index + 1, message));
                }
            }
        }
    }
    findings
}

/// The crates whose texts reach people: pages, refusals, findings, forecasts, messages, the command's help.
const SPEAKING: [&str; 6] = [
    "crates/quorate/src/",
    "crates/quorate-engine/src/",
    "crates/quorate-forecast/src/",
    "crates/quorate-law/src/",
    "crates/quorate-notices/src/",
    "crates/quorate-server/src/",
];

/// Templates, documents, and the texts in the code that speaks to people.
fn is_read_by_people(path: &str) -> bool {
    let is_document = path.starts_with("docs/") && has_extension(path, "md");
    let speaks = SPEAKING.iter().any(|crate_| path.starts_with(crate_));
    let kinds = ["html", "rs", "md"];
    is_document || speaks && kinds.iter().any(|kind| has_extension(path, kind))
}

/// What of a line is said to people: in code only what stands in quotation marks, and no comment.
fn said<'a>(path: &str, line: &'a str) -> &'a str {
    if !has_extension(path, "rs") {
        return line;
    }
    if line.trim_start().starts_with("//") {
        return "";
    }
    match (line.find('"'), line.rfind('"')) {
        (Some(from), Some(to)) if from < to => &line[from..=to],
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{assert_holds, found};
    use super::*;

    #[test]
    fn pages_and_documents_say_things_plainly() {
        assert_holds(check);
    }

    #[test]
    fn a_turn_is_found_where_people_read_it_and_nowhere_else() {
        let repo = Repo::of(&[
            (
                "crates/quorate-server/src/a.html",
                "<p>It has no vote of yours.</p>",
            ),
            (
                "crates/quorate-server/src/b.rs",
                "let x = \"The law says no\"; // thus",
            ),
            (
                "crates/quorate-server/src/c.rs",
                "// what fell due\nlet thus = 1;",
            ),
            ("crates/quorate-kernel/src/d.rs", "let x = \"upon\";"),
            ("docs/e.md", "You may add a word, if you like."),
        ]);
        let turns = found(check, &repo);
        assert_eq!(turns.len(), 3, "{turns:?}");
    }
}
