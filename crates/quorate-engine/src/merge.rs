//! Joining texts that changed in two places.

use quorate_law::RuleText;
use similar::{DiffOp, DiffTag};

/// A replacement of a range of the base's tokens.
#[derive(Clone, Debug, PartialEq)]
struct Hunk {
    start: usize,
    end: usize,
    with: Vec<String>,
}

/// The text that has both the changes from `base` to `ours` and those from `base` to `theirs`; none where they touch
/// the same words in different ways. Words, the space between them and each mark are the units.
pub fn three_way(base: &str, ours: &str, theirs: &str) -> Option<String> {
    if base == ours || ours == theirs {
        return Some(theirs.to_owned());
    }
    if base == theirs {
        return Some(ours.to_owned());
    }
    let tokens = tokens(base);
    let mut hunks = hunks(&tokens, ours);
    for hunk in self::hunks(&tokens, theirs) {
        if hunks.contains(&hunk) {
            continue;
        }
        // Two changes that meet at a point are as much of a conflict as two that overlap: their order would be a guess.
        if hunks
            .iter()
            .any(|other| hunk.start <= other.end && other.start <= hunk.end)
        {
            return None;
        }
        hunks.push(hunk);
    }
    hunks.sort_by_key(|hunk| hunk.start);
    let mut out = String::new();
    let mut at = 0;
    for hunk in hunks {
        out.extend(tokens[at..hunk.start].iter().copied());
        out.extend(hunk.with.iter().map(String::as_str));
        at = hunk.end;
    }
    out.extend(tokens[at..].iter().copied());
    Some(out)
}

/// Several amendments of one text, each the text that it was written against and the text that it makes, as one: the first
/// one's base and a text with all their changes. None where two of them touch the same words in different ways.
pub fn together<'a>(amendments: &[(&'a str, &'a str)]) -> Option<(&'a str, String)> {
    let ((base, first), others) = amendments.split_first()?;
    let mut text = (*first).to_owned();
    for (against, other) in others {
        // One that was written against what those before it made goes on from there.
        text = three_way(against, &text, other)?;
    }
    Some((base, text))
}

fn hunks(base: &[&str], changed: &str) -> Vec<Hunk> {
    let changed = tokens(changed);
    let ops: Vec<DiffOp> =
        similar::capture_diff_slices(similar::Algorithm::Patience, base, &changed);
    ops.into_iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(|op| Hunk {
            start: op.old_range().start,
            end: op.old_range().end,
            with: changed[op.new_range()]
                .iter()
                .map(|token| (*token).to_owned())
                .collect(),
        })
        .collect()
}

/// Runs of letters and digits, runs of space, and single marks.
fn tokens(text: &str) -> Vec<&str> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Word,
        Space,
        Mark,
    }
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            Class::Word
        } else if c == ' ' || c == '\t' {
            Class::Space
        } else {
            Class::Mark
        }
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last: Option<Class> = None;
    for (index, c) in text.char_indices() {
        let now = class(c);
        if last.is_some_and(|last| last != now || now == Class::Mark) {
            tokens.push(&text[start..index]);
            start = index;
        }
        last = Some(now);
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

/// A rule's text with other words for one clause; its fences and all other clauses stay. None if there is no such clause.
pub fn with_clause_words(text: &str, clause: u32, words: &str) -> Option<String> {
    let read = RuleText::parse(text);
    let found = read.clauses.iter().find(|found| found.number == clause)?;
    let lines: Vec<&str> = text.lines().collect();
    let first = (found.line as usize).checked_sub(1)?;
    let is_fence = |line: &str| {
        let line = line.trim_start();
        line.starts_with("```") || line.starts_with("~~~")
    };
    let next = read
        .clauses
        .iter()
        .map(|other| other.line as usize)
        .filter(|line| *line > found.line as usize)
        .min();
    let limit = next.map_or(lines.len(), |line| line - 1);
    let end = (first..limit)
        .find(|&index| is_fence(lines[index]))
        .unwrap_or(limit);
    let lead: String = lines
        .get(first)?
        .chars()
        .take_while(|c| c.is_ascii_digit() || ". )".contains(*c))
        .collect();
    let lead = if lead.chars().next().is_some_and(|c| c.is_ascii_digit()) {
        lead
    } else {
        String::new()
    };
    let mut out: Vec<String> = lines[..first]
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    out.push(format!("{lead}{}", words.trim()));
    if end < lines.len() {
        out.push(String::new());
    }
    out.extend(lines[end..].iter().map(|line| (*line).to_owned()));
    Some(out.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_different_places_go_together() {
        let base = "Each player has 3 Rope and 2 Tea.";
        let merged = three_way(
            base,
            "Each player has 4 Rope and 2 Tea.",
            "Each player has 3 Rope and 9 Tea.",
        );
        assert_eq!(merged.as_deref(), Some("Each player has 4 Rope and 9 Tea."));
    }

    #[test]
    fn changes_of_the_same_words_do_not() {
        let base = "Each player has 3 Rope.";
        assert_eq!(
            three_way(base, "Each player has 4 Rope.", "Each player has 5 Rope."),
            None
        );
        assert_eq!(
            three_way(base, "Each player has 4 Rope.", "Each player has 4 Rope.").as_deref(),
            Some("Each player has 4 Rope.")
        );
    }

    #[test]
    fn amendments_of_one_text_become_one() {
        let base = "Each player has 3 Rope and 2 Tea.";
        let rope = (base, "Each player has 4 Rope and 2 Tea.");
        let tea = (base, "Each player has 3 Rope and 9 Tea.");
        let after_rope = (rope.1, "Each player has 4 Ropes and 2 Tea.");
        let joined = |amendments: &[(&'static str, &'static str)]| {
            together(amendments).map(|(against, text)| {
                assert_eq!(against, base);
                text
            })
        };
        assert_eq!(joined(&[rope]).as_deref(), Some(rope.1));
        assert_eq!(
            joined(&[rope, tea]).as_deref(),
            Some("Each player has 4 Rope and 9 Tea.")
        );
        assert_eq!(joined(&[rope, after_rope]).as_deref(), Some(after_rope.1));
        assert_eq!(
            joined(&[rope, (base, "Each player has 5 Rope and 2 Tea.")]),
            None
        );
        assert_eq!(together(&[]), None);
    }

    #[test]
    fn a_text_that_did_not_move_on_takes_the_change_as_it_is() {
        assert_eq!(three_way("a", "a", "b").as_deref(), Some("b"));
        assert_eq!(three_way("a", "b", "a").as_deref(), Some("b"));
    }

    #[test]
    fn a_clause_gets_other_words_and_keeps_its_code() {
        let text = "1. First.\n\n```starlark\nx = 1\n```\n\n2. Second.\n";
        let amended = with_clause_words(text, 1, "Primo.").unwrap();
        assert_eq!(
            amended,
            "1. Primo.\n\n```starlark\nx = 1\n```\n\n2. Second.\n"
        );
        assert_eq!(with_clause_words(text, 7, "x"), None);
    }
}
