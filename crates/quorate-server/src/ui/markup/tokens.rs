//! Votes between colons and words of the theme between braces.

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
            ':' => side(token, reading.sides).map(Piece::Vote),
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
            sides: &[],
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

/// The side that a word between colons means; DEF and IMPERIAL are old short forms of DEFERENTIAL.
fn side<'t>(token: &'t str, sides: &[&'t str]) -> Option<&'t str> {
    let token = token.trim();
    if token.is_empty() || token.len() > 40 {
        return None;
    }
    let meant = match token.to_ascii_lowercase().as_str() {
        "def" | "defer" | "imperial" => "deferential".to_owned(),
        other => other.to_owned(),
    };
    sides.iter().find(|side| **side == meant).copied()
}
