//! Pages that are kept, with the places in them that belong to one session.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};

use crate::app::form_words::FormWords;
use crate::app::kept::{Keep, Weighed, room};

/// How many bytes of pages are kept.
const ROOM: usize = 32 << 20;

/// About how long a page is, in bytes, with what is kept around it.
const COMMON: usize = 16 << 10;

/// Pages by the digest of everything that has a say in them.
pub type Pages = Keep<KeptPage>;

/// A page as somebody was given it.
#[derive(Clone, Debug)]
pub struct KeptPage {
    /// What its status was.
    pub status: StatusCode,
    /// Headers that are the same for everybody.
    pub headers: HeaderMap,
    /// The text.
    pub body: Bytes,
    /// Where the forms' tokens begin, in bytes.
    tokens: Vec<usize>,
    /// Where the forms' keys begin, in bytes.
    keys: Vec<usize>,
}

impl KeptPage {
    /// A page in which nothing belongs to one session.
    pub fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        Self {
            status,
            headers,
            body,
            tokens: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Finds what belongs to the session for which the page was drawn.
    pub fn find(&mut self, words: &FormWords) {
        self.tokens = places(&self.body, words.token.as_bytes());
        self.keys = places(&self.body, words.key().as_bytes());
    }

    /// Whether anything belongs to one session.
    pub fn is_personal(&self) -> bool {
        !(self.tokens.is_empty() && self.keys.is_empty())
    }

    /// The text with such words laid in.
    pub fn with(&self, words: &FormWords) -> Bytes {
        if !self.is_personal() {
            return self.body.clone();
        }
        let mut body = self.body.to_vec();
        for (places, word) in [
            (&self.tokens, words.token.as_str()),
            (&self.keys, words.key()),
        ] {
            for &at in places {
                if let Some(part) = body.get_mut(at..at + word.len()) {
                    part.copy_from_slice(word.as_bytes());
                }
            }
        }
        body.into()
    }
}

/// Where a word begins in a text, each time. An empty word is nowhere.
fn places(text: &[u8], word: &[u8]) -> Vec<usize> {
    if word.is_empty() {
        return Vec::new();
    }
    memchr::memmem::find_iter(text, word).collect()
}

impl Weighed for KeptPage {
    fn bytes(&self) -> usize {
        let places = (self.tokens.len() + self.keys.len()) * size_of::<usize>();
        // The headers and their names come to about a kilobyte.
        self.body.len() + places + 1_024
    }
}

/// Room for pages.
pub fn pages() -> Pages {
    room(ROOM, COMMON)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quorate_kernel::digest::Digest;

    use super::*;

    fn words(letter: char) -> FormWords {
        FormWords {
            token: letter.to_string().repeat(64),
            word: letter.to_ascii_uppercase().to_string().repeat(64),
        }
    }

    fn page(text: String) -> KeptPage {
        KeptPage::new(StatusCode::OK, HeaderMap::new(), text.into())
    }

    #[test]
    fn tokens_and_keys_of_one_session_give_way_to_those_of_another() {
        let (anna, bert) = (words('a'), words('b'));
        let text = |words: &FormWords| {
            let (token, key) = (&words.token, words.key());
            format!("<i>{token}</i> {key}.0 then {token} {key}.17 end")
        };
        let mut page = page(text(&anna));
        page.find(&anna);
        assert!(page.is_personal());
        assert_eq!(page.with(&bert), text(&bert).as_bytes());
        assert_eq!(page.with(&anna), text(&anna).as_bytes());
    }

    #[test]
    fn a_page_without_forms_belongs_to_nobody() {
        let mut page = page("Nothing here.".to_owned());
        page.find(&words('a'));
        assert!(!page.is_personal());
        assert_eq!(page.with(&words('b')), "Nothing here.");
    }

    #[test]
    fn pages_make_room_by_their_bytes() {
        let pages = pages();
        for nth in 0..200_usize {
            let long = page("x".repeat(1 << 20));
            pages.insert(Digest::of(&nth.to_le_bytes()), Arc::new(long));
        }
        assert!(pages.weight() <= ROOM as u64);
        assert!(!pages.is_empty());
    }
}
