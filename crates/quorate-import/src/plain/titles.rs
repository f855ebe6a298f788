//! Which lines of a plain text are titles.

use super::markers::marker;
use crate::outline::names_a_section;

/// A title longer than this is a sentence.
const WORDS_MAX: usize = 8;
const LETTERS_MAX: usize = 64;

/// What is known of a text's titles before they are read.
pub(super) struct Titles {
    /// Whether each line is a paragraph of its own.
    pub(super) is_dense: bool,
    /// The level of rules: below that of sections, where sections have titles of their own.
    top: u8,
    /// In how many parts the shortest numbers of titles are written: one in `3`, two in `1.3`.
    parts_min: usize,
    /// Whether rules have numbers; a title without one is then under the rule before it.
    is_numbered: bool,
}

/// A line that is a title.
pub(super) struct TitleFound {
    pub(super) level: u8,
    pub(super) number: Option<String>,
    pub(super) words: String,
    /// Whether it might as well be a sentence.
    pub(super) doubtful: bool,
}

/// A line that begins with a number.
pub(super) struct Numbered<'t> {
    number: &'t str,
    words: &'t str,
    /// Whether the number can be nothing but a title's: `1.2 Tea`, `12 - Tea`, `Rule 3: Tea`.
    certain: bool,
}

impl<'t> Numbered<'t> {
    /// Reads `12 - Tea`, `1.2 Tea`, `3. Tea`, `Rule 3: Tea`, `Section Two: Tea` is none.
    pub(super) fn of(line: &'t str) -> Option<Self> {
        let line = line.trim();
        let named = ["Rule ", "Section ", "Article "]
            .iter()
            .find_map(|word| line.strip_prefix(word));
        let body = named.unwrap_or(line);
        let end = body.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number = body[..end].trim_end_matches('.');
        let is_number = !number.is_empty()
            && number
                .split('.')
                .all(|part| !part.is_empty() && part.len() <= 4);
        if !is_number {
            return None;
        }
        let rest = body[number.len()..].trim_start_matches(['.', ')']);
        let gap = rest.trim_start();
        let dashed = ["- ", "– ", "— ", ": "]
            .iter()
            .find_map(|sign| gap.strip_prefix(sign));
        if dashed.is_none() && !rest.starts_with([' ', '\t']) {
            return None;
        }
        let plain_end = body[number.len()..].starts_with([' ', '\t']);
        Some(Self {
            number,
            words: dashed.unwrap_or(gap).trim(),
            certain: named.is_some() || dashed.is_some() || number.contains('.') && plain_end,
        })
    }
}

impl Titles {
    pub(super) fn of(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let full = lines.iter().filter(|line| !line.is_empty()).count();
        let numbered = lines.iter().filter_map(|line| Numbered::of(line));
        let numbered: Vec<usize> = numbered
            .filter(|it| it.certain && reads_as_title(it.words))
            .map(|it| it.number.split('.').count())
            .collect();
        Self {
            is_dense: (lines.len() - full) * 5 < full,
            top: if lines.iter().any(|line| names_a_section(line)) {
                2
            } else {
                1
            },
            parts_min: numbered.iter().copied().min().unwrap_or(1),
            is_numbered: numbered.len() > 1,
        }
    }

    /// Reads a line as a title, if it is one.
    pub(super) fn heading(&self, line: &str, next: Option<&str>) -> Option<TitleFound> {
        let words = line.trim();
        if names_a_section(words) {
            return Some(TitleFound {
                level: 1,
                number: None,
                words: words.to_owned(),
                doubtful: false,
            });
        }
        if let Some(it) = Numbered::of(words) {
            return self.numbered(&it, next);
        }
        if !reads_as_title(words) || is_frame(words) {
            return None;
        }
        // Two short words with a colon between them are what a list says of something.
        if words.contains(": ") || words.contains(';') {
            return None;
        }
        Some(TitleFound {
            level: self.top + u8::from(self.is_numbered),
            number: None,
            words: words.to_owned(),
            doubtful: reads_as_sentence(words),
        })
    }

    fn numbered(&self, it: &Numbered<'_>, next: Option<&str>) -> Option<TitleFound> {
        let in_list = next.is_none_or(|next| Numbered::of(next).is_some_and(|next| !next.certain));
        if !reads_as_title(it.words) || (!it.certain && in_list) {
            return None;
        }
        let parts = it.number.split('.').count().saturating_sub(self.parts_min);
        let level = self.top.saturating_add(u8::try_from(parts).unwrap_or(4));
        Some(TitleFound {
            level: level.min(6),
            number: Some(it.number.to_owned()),
            words: it.words.to_owned(),
            doubtful: false,
        })
    }
}

/// Whether a line is short and does not end like a sentence.
pub(super) fn reads_as_title(words: &str) -> bool {
    let Some(first) = words.chars().next() else {
        return false;
    };
    let begins = first.is_uppercase() || first.is_numeric() || "@#*&$!“\"‘'".contains(first);
    let quoted = "“\"‘'".contains(first);
    let ends = words.ends_with(['.', ':', ';', ',', '?', '-', '–']);
    let is_bullet = marker(words).is_some() && Numbered::of(words).is_none();
    begins
        && !quoted
        && !ends
        && !is_bullet
        && !words.contains(['|', '\t'])
        && words.chars().any(char::is_alphanumeric)
        && words.chars().count() <= LETTERS_MAX
        && words.split_whitespace().count() <= WORDS_MAX
}

/// Whether a line may be a word that the next line explains.
pub(super) fn reads_as_term(words: &str) -> bool {
    !words.ends_with(['.', ';', ','])
        && words.chars().count() <= LETTERS_MAX
        && words.split_whitespace().count() <= WORDS_MAX
}

/// Whether most words of a title are written small, as in a sentence.
fn reads_as_sentence(words: &str) -> bool {
    const SMALL: [&str; 16] = [
        "a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with",
        "as", "per",
    ];
    let all: Vec<&str> = words.split_whitespace().skip(1).collect();
    let weighty = all.iter().filter(|word| !SMALL.contains(word));
    let small = weighty
        .clone()
        .filter(|word| word.starts_with(char::is_lowercase))
        .count();
    small >= 3 && small * 2 > weighty.count()
}

/// Whether a line belongs to the wiki's own frame around a page.
pub(super) fn is_frame(line: &str) -> bool {
    let line = line.trim();
    let wiki = line.starts_with("From ") && line.ends_with("Wiki");
    let starts = [
        "Revision as of ",
        "Latest revision as of ",
        "(diff)",
        "Jump to navigation",
        "Jump to:",
        "Redirected from",
        "(Redirected from",
    ];
    wiki || starts.iter().any(|start| line.starts_with(start))
}
