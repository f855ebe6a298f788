//! Votes between colons and words of the theme between braces.

use quorate_engine::icons::IconWords;

use crate::ui::markup::{Reading, Terms};

/// A piece of a text.
pub(crate) enum Piece<'t> {
    Words(&'t str),
    Vote(&'t str),
    Term(&'t str),
}

/// Cuts a text where a token stands that means something here; whatever else stands between colons or braces stays.
pub(crate) fn pieces<'t>(words: &'t str, reading: Reading<'t>) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = words[at..].find([':', '{']) {
        let open = at + found;
        let close = if words.as_bytes()[open] == b':' {
            ':'
        } else {
            '}'
        };
        let inner = &words[open + 1..];
        let token = inner.find(close).map(|end| &inner[..end]);
        let piece = token.and_then(|token| match close {
            ':' => reading
                .icons
                .meaning(token)
                .map(|icon| Piece::Vote(icon.as_str())),
            _ => reading.terms.get(token).map(|term| Piece::Term(term)),
        });
        let Some((piece, token)) = piece.zip(token) else {
            at = open + 1;
            continue;
        };
        if from < open {
            pieces.push(Piece::Words(&words[from..open]));
        }
        pieces.push(piece);
        from = open + token.len() + 2;
        at = from;
    }
    if from < words.len() || pieces.is_empty() {
        pieces.push(Piece::Words(&words[from..]));
    }
    pieces
}

/// A text with the words of the theme in place of their tokens, and nothing else changed: for differences and titles.
pub fn themed(words: &str, terms: &Terms) -> String {
    pieces(
        words,
        Reading {
            terms,
            icons: &IconWords::default(),
            keeps_lines: true,
            heading: None,
        },
    )
    .into_iter()
    .map(|piece| match piece {
        Piece::Words(text) | Piece::Term(text) | Piece::Vote(text) => text,
    })
    .collect()
}
