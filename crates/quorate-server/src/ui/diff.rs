//! Changes: as words where people wrote, as lines where the machine reads.

use askama::Template;
use similar::{ChangeTag, TextDiff};

use crate::ui::html::writes_html;
use crate::ui::urls::Href;

/// Which version a run of words or a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In both.
    Both,
    /// Only in the old one.
    Old,
    /// Only in the new one.
    New,
}

/// Words that stand together in one version or in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they stand.
    pub side: Side,
    /// The words, with the space between them.
    pub text: String,
}

/// A line of code, or a gap where unchanged lines are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// One line.
    Code(Side, String),
    /// So many unchanged lines.
    Gap(usize),
}

/// The difference of two texts, word by word.
pub fn words(old: &str, new: &str) -> Vec<Run> {
    let diff = TextDiff::from_unicode_words(old, new);
    let mut runs: Vec<Run> = Vec::new();
    for change in diff.iter_all_changes() {
        let side = side(change.tag());
        let text = change.value();
        match runs.last_mut() {
            Some(last) if last.side == side => last.text.push_str(text),
            // Two changes with nothing but a space between them read better as one.
            _ => runs.push(Run {
                side,
                text: text.to_owned(),
            }),
        }
    }
    join_over_spaces(runs)
}

/// Merges changes that only white space keeps apart: "two more words" instead of three single insertions.
fn join_over_spaces(runs: Vec<Run>) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    let (mut old, mut new) = (String::new(), String::new());
    let mut runs = runs.into_iter().peekable();
    while let Some(run) = runs.next() {
        let bridge = run.side == Side::Both
            && run.text.trim().is_empty()
            && !(old.is_empty() && new.is_empty())
            && runs.peek().is_some_and(|next| next.side != Side::Both);
        match run.side {
            Side::Old => old.push_str(&run.text),
            Side::New => new.push_str(&run.text),
            Side::Both if bridge => {
                if !old.is_empty() {
                    old.push_str(&run.text);
                }
                if !new.is_empty() {
                    new.push_str(&run.text);
                }
            }
            Side::Both => {
                flush(&mut joined, &mut old, &mut new);
                joined.push(run);
            }
        }
    }
    flush(&mut joined, &mut old, &mut new);
    joined
}

fn flush(runs: &mut Vec<Run>, old: &mut String, new: &mut String) {
    for (side, text) in [(Side::Old, old), (Side::New, new)] {
        if !text.is_empty() {
            runs.push(Run {
                side,
                text: std::mem::take(text),
            });
        }
    }
}

/// The difference of two pieces of code, line by line, with `around` unchanged lines kept about each change.
pub fn lines(old: &str, new: &str, around: usize) -> Vec<Line> {
    let diff = TextDiff::from_lines(old, new);
    let all: Vec<(Side, String)> = diff
        .iter_all_changes()
        .map(|change| {
            (
                side(change.tag()),
                change.value().trim_end_matches(['\n', '\r']).to_owned(),
            )
        })
        .collect();
    let near = |index: usize| {
        let (from, to) = (
            index.saturating_sub(around),
            (index + around + 1).min(all.len()),
        );
        all[from..to].iter().any(|(side, _)| *side != Side::Both)
    };
    let mut out = Vec::new();
    let mut skipped = 0;
    for (index, (side, text)) in all.iter().enumerate() {
        if near(index) {
            if skipped > 0 {
                out.push(Line::Gap(std::mem::take(&mut skipped)));
            }
            out.push(Line::Code(*side, text.clone()));
        } else {
            skipped += 1;
        }
    }
    if skipped > 0 && !out.is_empty() {
        out.push(Line::Gap(skipped));
    }
    out
}

fn side(tag: ChangeTag) -> Side {
    match tag {
        ChangeTag::Equal => Side::Both,
        ChangeTag::Delete => Side::Old,
        ChangeTag::Insert => Side::New,
    }
}

/// What a proposal or a version changes in one place.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/change.html")]
pub struct Change {
    /// The place: "Rule 14, Activities".
    pub place: String,
    /// Closer: "clause 4", "new", "repealed".
    pub part: String,
    /// Where it stands today.
    pub href: Option<Href>,
    /// The prose, word by word; empty where only code changes.
    pub words: Vec<Run>,
    /// The code, line by line; empty where only prose changes.
    pub lines: Vec<Line>,
    /// What stands in the way: the text has moved on, the code does not check.
    pub warning: Option<String>,
}

impl Change {
    /// Whether a new run follows an old one with no space in either, so that a replaced word would stick to its successor.
    fn needs_space(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1).and_then(|at| self.words.get(at)) else {
            return false;
        };
        before.side == Side::Old
            && !before.text.ends_with(char::is_whitespace)
            && !self.words[index].text.starts_with(char::is_whitespace)
    }
}

writes_html!(Change);

#[cfg(test)]
mod tests {
    use super::*;

    fn in_words(runs: &[Run]) -> String {
        runs.iter()
            .map(|run| match run.side {
                Side::Both => run.text.clone(),
                Side::Old => format!("[-{}-]", run.text),
                Side::New => format!("[+{}+]", run.text),
            })
            .collect()
    }

    #[test]
    fn words_that_change_together_are_marked_together() {
        let runs = words(
            "They close the doors behind it.",
            "They close the doors it stands behind.",
        );
        assert_eq!(
            in_words(&runs),
            "They close the doors [-behind it-][+it stands behind+]."
        );
    }

    #[test]
    fn old_and_new_text_can_be_read_back_from_the_runs() {
        let (old, new) = (
            "A quorum is half of the players, plus one.",
            "A quorum is more than half of all active players.",
        );
        let runs = words(old, new);
        let back = |gone: Side| {
            runs.iter()
                .filter(|r| r.side != gone)
                .map(|r| r.text.as_str())
                .collect::<String>()
        };
        assert_eq!(back(Side::New), old);
        assert_eq!(back(Side::Old), new);
    }

    #[test]
    fn unchanged_lines_far_from_a_change_are_counted_not_shown() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let new = "a\nb\nc\nd\ne\nF\n";
        assert_eq!(
            lines(old, new, 1),
            vec![
                Line::Gap(4),
                Line::Code(Side::Both, "e".into()),
                Line::Code(Side::Old, "f".into()),
                Line::Code(Side::New, "F".into()),
            ]
        );
    }
}
