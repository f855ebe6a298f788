//! Icons in what people write: the one reader for the law, the pages and the API.
//!
//! A text is read as the Markdown that pages show. An icon is a word between colons, in any case, that the post's category
//! knows by its name or by an alias. Code holds none, nor do quotations, links and pictures: there somebody else speaks.

use std::collections::BTreeMap;
use std::ops::Range;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use quorate_kernel::Name;
use quorate_law::declare::CategoryDecl;

/// A text longer than this is cut before it is read; whoever takes texts refuses them earlier and says so.
pub const BYTES_MAX: usize = 256 * 1024;

/// How deep quotes and lists may nest. Deeper text is shown as it was typed: no page needs it, and it costs a hostile
/// writer nothing to ask a reader's browser for ten thousand levels.
const DEPTH_MAX: usize = 40;

/// How long a word between colons may be.
const WORD_MAX: usize = 40;

/// Words that stand for icons: their names and aliases, in small letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IconWords(BTreeMap<String, Name>);

impl IconWords {
    /// The icons of a category, with its aliases.
    pub fn of(category: &CategoryDecl) -> Self {
        let names = category.icons.iter().map(|icon| (icon, icon));
        let aliases = category.aliases.iter();
        let aliases = aliases.map(|(alias, icon)| (alias, icon));
        names.chain(aliases).collect()
    }

    /// The icon that a word between colons means.
    pub fn meaning(&self, word: &str) -> Option<&Name> {
        let word = word.trim();
        if word.is_empty() || word.len() > WORD_MAX {
            return None;
        }
        self.0.get(&word.to_lowercase())
    }

    /// The same words, for these icons alone.
    #[must_use]
    pub fn only(&self, icons: &[Name]) -> Self {
        let kept = self.0.iter().filter(|(_, icon)| icons.contains(icon));
        Self(
            kept.map(|(word, icon)| (word.clone(), icon.clone()))
                .collect(),
        )
    }

    /// Both together; where a word means two icons, the first meaning stays.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (word, icon) in other.0 {
            self.0.entry(word).or_insert(icon);
        }
        self
    }
}

impl<'a> FromIterator<(&'a Name, &'a Name)> for IconWords {
    /// Words with the icons that they mean.
    fn from_iter<I: IntoIterator<Item = (&'a Name, &'a Name)>>(words: I) -> Self {
        let words = words.into_iter();
        Self(
            words
                .map(|(word, icon)| (word.as_str().to_lowercase(), icon.clone()))
                .collect(),
        )
    }
}

/// The icons of a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IconReading {
    /// In reading order.
    pub icons: Vec<Name>,
    /// Whether the text begins with the first of them: its author votes, whatever words come after.
    pub opens_with_one: bool,
}

/// Reads the icons of a text.
pub fn read(text: &str, words: &IconWords) -> IconReading {
    let text = cut(text);
    let mut reading = IconReading::default();
    // Most comments carry none, and need no tree to say so.
    if !text.contains([':', '&']) || nests_too_deep(text) {
        return reading;
    }
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options());
    let mut is_first = true;
    for node in root.descendants() {
        let NodeValue::Text(said) = &node.data.borrow().value else {
            continue;
        };
        if is_spoken(node) {
            for (range, icon) in in_words(said, words) {
                reading.opens_with_one |= is_first && said[..range.start].trim().is_empty();
                reading.icons.push(icon.clone());
                is_first = false;
            }
        }
        is_first = false;
    }
    reading
}

/// The comment by which somebody votes with words beside the vote: the vote stands first and is the only icon.
pub fn ballot(icon: &str, text: &str, words: &IconWords) -> String {
    let quiet = quieted(text, words);
    let line = format!(":{icon}: {quiet}");
    let line = line.trim_end();
    if read(line, words).icons.len() <= 1 {
        return line.to_owned();
    }
    // A quotation or indented code goes on being one where it begins a line.
    format!(":{icon}:\n\n{quiet}").trim_end().to_owned()
}

/// The same text with every icon in it between backticks, where it is none: words beside a vote that was chosen.
fn quieted(text: &str, words: &IconWords) -> String {
    let mut quiet = String::with_capacity(text.len());
    let mut from = 0;
    if read(text, words).icons.is_empty() {
        return text.to_owned();
    }
    for (range, _) in in_words(text, words) {
        quiet.push_str(&text[from..range.start]);
        quiet.push('`');
        quiet.push_str(&text[range.clone()]);
        quiet.push('`');
        from = range.end;
    }
    quiet.push_str(&text[from..]);
    // Where backticks stood already, or a backslash, the text is code from end to end.
    if read(&quiet, words).icons.is_empty() {
        quiet
    } else {
        text.replace(':', " ")
    }
}

/// Where icons stand in words that are no code, and which; whatever else stands between colons stays.
pub fn in_words<'t>(
    text: &'t str,
    words: &'t IconWords,
) -> impl Iterator<Item = (Range<usize>, &'t Name)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = text[at..].find(':') {
            let open = at + found;
            let inner = &text[open + 1..];
            let end = inner.find(':')?;
            match words.meaning(&inner[..end]) {
                Some(icon) => {
                    at = open + end + 2;
                    return Some((open..at, icon));
                }
                None => at = open + 1,
            }
        }
        None
    })
}

/// Whether words are their author's own, and no quotation, link or picture.
pub fn is_spoken<'a>(node: &'a AstNode<'a>) -> bool {
    !node.ancestors().any(|above| {
        matches!(
            above.data.borrow().value,
            NodeValue::BlockQuote | NodeValue::Link(_) | NodeValue::Image(_)
        )
    })
}

/// How Markdown is read, here and on pages.
pub fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.superscript = true;
    options.extension.subscript = false;
    options.extension.underline = true;
    options.extension.spoiler = true;
    options.extension.insert = true;
    options.parse.smart = true;
    options.render.escape = true;
    options
}

/// The part of a text that is read.
pub fn cut(text: &str) -> &str {
    let mut end = text.len().min(BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Counts the markers that open blocks at the start of each line, which bounds the depth of the tree, and the brackets
/// and stars in one line, which bound its inline depth.
pub fn nests_too_deep(text: &str) -> bool {
    text.lines().any(|line| {
        let opened = line
            .chars()
            .take_while(|c| c.is_whitespace() || c.is_ascii_digit() || "<>-*+.)".contains(*c))
            .filter(|c| "><-*+.)".contains(*c))
            .count();
        let ruled = line.trim().chars().all(|c| "-* _".contains(c));
        (opened > DEPTH_MAX && !ruled)
            || line.chars().take_while(|c| *c == ' ').count() > 20 * DEPTH_MAX
    })
}

#[cfg(test)]
mod tests;
