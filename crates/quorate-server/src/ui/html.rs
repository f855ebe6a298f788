//! Finished HTML, and words in the right number.

use std::borrow::Cow;

/// Says that a piece writes finished HTML, in which everything that came from outside is escaped already.
macro_rules! writes_html {
    ($($piece:ty),+ $(,)?) => { $(impl askama::filters::HtmlSafe for $piece {})+ };
}
pub(crate) use writes_html;

/// A heading's or a count's noun in the right number: `plural(1, "vote", "votes")` gives "1 vote".
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A title as an element's id.
pub(crate) fn slug(title: &str) -> String {
    let words = title
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Makes text safe between tags and inside quoted attributes.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '>', '&', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&#60;"),
            '>' => out.push_str("&#62;"),
            '&' => out.push_str("&#38;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}
