//! Texts in short: their words without marks, cut where it hurts least.

use comrak::nodes::NodeValue;
use comrak::{Arena, parse_document};

use crate::ui::markup::tokens::themed;
use quorate_engine::icons::{cut, nests_too_deep, options};

use crate::ui::markup::reading::Terms;

/// The first words of a text, without any marks, cut at a word within `letters_max`.
pub fn excerpt(text: &str, terms: &Terms, letters_max: usize) -> String {
    let plain = plain(text, terms);
    match break_at(&plain, letters_max) {
        None => plain,
        Some(end) => format!("{} …", plain[..end].trim_end_matches([',', ';', ':', '.'])),
    }
}

/// A text without any marks, in its first words and what follows them; the first end with a sentence where one ends in
/// time, or not long after. Nothing follows a text within `letters_max`.
pub fn in_two(text: &str, terms: &Terms, letters_max: usize) -> (String, String) {
    let plain = plain(text, terms);
    let Some(end) = break_at(&plain, letters_max) else {
        return (plain, String::new());
    };
    let before = plain[..end].rfind(". ").map(|at| at + 1);
    let sentence = before.filter(|at| *at >= end / 2).or_else(|| {
        let latest = break_at(&plain, letters_max * 2).unwrap_or(plain.len());
        let after = plain[end..latest].find(". ").map(|at| end + at + 1);
        after.or((latest == plain.len()).then_some(latest))
    });
    let (lead, rest) = plain.split_at(sentence.unwrap_or(end));
    let more = if lead.ends_with('.') || rest.is_empty() {
        ""
    } else {
        " …"
    };
    (format!("{lead}{more}"), rest.trim_start().to_owned())
}

/// What a text says, in one line and without marks.
fn plain(text: &str, terms: &Terms) -> String {
    let text = cut(text);
    let mut plain = String::new();
    if nests_too_deep(text) {
        plain.push_str(text);
    } else {
        let arena = Arena::new();
        for node in parse_document(&arena, text, &options()).descendants() {
            match &node.data.borrow().value {
                NodeValue::Text(words) => plain.push_str(&themed(words, terms)),
                NodeValue::Code(code) => plain.push_str(&code.literal),
                NodeValue::SoftBreak
                | NodeValue::LineBreak
                | NodeValue::Paragraph
                | NodeValue::Item(_) => {
                    plain.push(' ');
                }
                _ => {}
            }
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where a text that is longer breaks: after the last whole word within `letters_max`.
fn break_at(plain: &str, letters_max: usize) -> Option<usize> {
    let (beyond, _) = plain.char_indices().nth(letters_max)?;
    if plain[beyond..].starts_with(' ') {
        return Some(beyond);
    }
    Some(plain[..beyond].rfind(' ').unwrap_or(beyond))
}
