//! Votes between colons and words of the theme between braces.

use quorate_engine::icons::IconWords;

use crate::ui::markup::reading::{People, Reading, Terms};

/// A piece of a text.
pub(crate) enum TextPiece<'t> {
    Words(&'t str),
    Vote(&'t str),
    Term(&'t str),
    /// Somebody who is named after an @, with the way to their page.
    Person(&'t str, &'t str),
}

/// Cuts a text where a token stands that means something here; whatever else stands between colons or braces stays.
pub(crate) fn pieces<'t>(words: &'t str, reading: Reading<'t>) -> Vec<TextPiece<'t>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = words[at..].find([':', '{', '@']) {
        let open = at + found;
        if words.as_bytes()[open] == b'@' {
            at = open + 1;
            if let Some((name, href)) = mentioned(words, open, reading.people) {
                if from < open {
                    pieces.push(TextPiece::Words(&words[from..open]));
                }
                pieces.push(TextPiece::Person(name, href));
                from = open + name.len();
                at = from;
            }
            continue;
        }
        let close = if words.as_bytes()[open] == b':' {
            ':'
        } else {
            '}'
        };
        let inner = &words[open + 1..];
        // A token holds no other mark of its kind, so that none is looked for beyond the next one.
        let end = inner.find(|letter| letter == close || (letter == '{' && close == '}'));
        let token = end.filter(|end| inner[*end..].starts_with(close));
        let token = token.map(|end| &inner[..end]);
        let piece = token.and_then(|token| match close {
            ':' => reading
                .icons
                .meaning(token)
                .map(|icon| TextPiece::Vote(icon.as_str())),
            _ => reading.terms.get(token).map(|term| TextPiece::Term(term)),
        });
        let Some((piece, token)) = piece.zip(token) else {
            at = open + 1;
            continue;
        };
        if from < open {
            pieces.push(TextPiece::Words(&words[from..open]));
        }
        pieces.push(piece);
        from = open + token.len() + 2;
        at = from;
    }
    if from < words.len() || pieces.is_empty() {
        pieces.push(TextPiece::Words(&words[from..]));
    }
    pieces
}

/// Who is named by an @ that stands at a place of a text: the words with the @, and the way to their page. Of several names
/// that fit, the longest.
fn mentioned<'t>(words: &'t str, at: usize, people: &'t People) -> Option<(&'t str, &'t str)> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    if words[..at].chars().next_back().is_some_and(is_part) {
        return None;
    }
    let after = &words[at + 1..];
    let fits = |name: &str| {
        let said = after.get(..name.len())?;
        let ends = !after[name.len()..].starts_with(is_part);
        (ends && said.to_lowercase() == name).then_some(name.len())
    };
    let found = people
        .iter()
        .filter_map(|(name, href)| Some((fits(name)?, href)));
    let (length, href) = found.max_by_key(|(length, _)| *length)?;
    Some((&words[at..=at + length], href))
}

/// Whether a text names somebody by an @.
pub fn names(text: &str, name: &str) -> bool {
    let people = People::from([(name.to_lowercase(), String::new())]);
    let mut places = text.match_indices('@');
    places.any(|(at, _)| mentioned(text, at, &people).is_some())
}

/// A text with the words of the theme in place of their tokens, and nothing else changed: for differences and titles.
pub fn themed(words: &str, terms: &Terms) -> String {
    pieces(
        words,
        Reading {
            terms,
            icons: &IconWords::default(),
            people: &People::new(),
            keeps_lines: true,
            pictures: None,
            heading: None,
        },
    )
    .into_iter()
    .map(|piece| match piece {
        TextPiece::Words(text)
        | TextPiece::Term(text)
        | TextPiece::Vote(text)
        | TextPiece::Person(text, _) => text,
    })
    .collect()
}
