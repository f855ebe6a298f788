//! Pages that are kept, with the places in them that belong to one session.
//!
//! A pressed page has such places too, so another session's words are laid in without pressing anything anew.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use quorate_kernel::digest::Digest;
use quorate_kernel::{Moment, Span};

use crate::app::form_words::{FormWords, KEY_LETTERS};
use crate::app::kept::{Keep, Weighed, room};
use crate::app::press::Coding;

/// How many bytes of pages are kept.
const ROOM: usize = 32 << 20;

/// About how long a page is, in bytes, with what is kept around it.
const COMMON: usize = 16 << 10;

/// What stands for a form's token while a page is pressed.
static BLANK_TOKEN: [u8; 64] = blank(200);

/// What stands for the beginning of a form's key.
static BLANK_KEY: [u8; KEY_LETTERS] = blank(80);

/// For how long a page is given to who asks for the same.
const KEPT_FOR: Span = Span(5_000);

/// Pages by the digest of everything that has a say in them. The turn is among that, so when the next one begins all go: nobody
/// asks for them any more.
pub struct Pages {
    kept: Keep<KeptPage>,
    turn: AtomicI64,
}

impl Pages {
    /// Which stretch of time a moment lies in: a page is kept to the end of its own.
    pub fn turn_of(moment: Moment) -> i64 {
        moment.0.div_euclid(KEPT_FOR.0)
    }

    /// Drops everything where another turn has begun since this was asked last.
    pub fn drop_old(&self, now: Moment) {
        let turn = Self::turn_of(now);
        if self.turn.swap(turn, Ordering::Relaxed) != turn {
            self.clear();
        }
    }

    /// A kept page.
    pub fn get(&self, key: &Digest) -> Option<Arc<KeptPage>> {
        self.kept.get(key)
    }

    /// Keeps a page.
    pub fn insert(&self, key: Digest, page: Arc<KeptPage>) {
        self.kept.insert(key, page);
    }

    /// How many bytes are kept.
    pub fn weight(&self) -> u64 {
        self.kept.weight()
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.kept.clear();
    }
}

impl Default for Pages {
    fn default() -> Self {
        Self {
            kept: room(ROOM, COMMON),
            turn: AtomicI64::default(),
        }
    }
}

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
    /// What it was before it was pressed, where it ends with a checksum of that.
    text: Option<(Coding, Arc<Self>)>,
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
            text: None,
        }
    }

    /// The same under other headers.
    #[must_use]
    pub fn under(&self, headers: HeaderMap) -> Self {
        Self {
            headers,
            ..self.clone()
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
        let mut body = self.laid(words.token.as_bytes(), words.key().as_bytes());
        if let Some((coding, text)) = &self.text {
            coding.signed(&mut body, &text.with(words));
        }
        body.into()
    }

    fn laid(&self, token: &[u8], key: &[u8]) -> Vec<u8> {
        let mut body = self.body.to_vec();
        for (places, word) in [(&self.tokens, token), (&self.keys, key)] {
            for &at in places {
                if let Some(part) = body.get_mut(at..at + word.len()) {
                    part.copy_from_slice(word);
                }
            }
        }
        body
    }

    /// The same page pressed, under such headers. None where words cannot be laid into it: it is made back into a text with
    /// words of its own, and that must be this page with these words.
    pub fn pressed(self: &Arc<Self>, coding: Coding, headers: HeaderMap) -> Option<Self> {
        let blank = self.laid(&BLANK_TOKEN, &BLANK_KEY);
        let tokens = out_of_reach(&self.tokens, BLANK_TOKEN.len(), coding);
        let mut plain: Vec<Range<usize>> = tokens
            .chain(out_of_reach(&self.keys, BLANK_KEY.len(), coding))
            .collect();
        plain.sort_by_key(|part| part.start);
        let body: Bytes = coding.press(&blank, &plain).ok()?.into();
        let pressed = Self {
            status: self.status,
            headers,
            tokens: places(&body, &BLANK_TOKEN),
            keys: places(&body, &BLANK_KEY),
            body,
            text: (coding == Coding::Gzip).then(|| (coding, Arc::clone(self))),
        };
        let words = FormWords {
            token: Digest::of(&self.body).to_string(),
            word: Digest::of(&pressed.body).to_string(),
        };
        let text = coding.read(&pressed.with(&words)).ok()?;
        (text == self.with(&words)).then_some(pressed)
    }
}

/// Where a word must be written out: the first time, and where it came last too far before to refer to it.
fn out_of_reach(
    places: &[usize],
    length: usize,
    coding: Coding,
) -> impl Iterator<Item = Range<usize>> {
    let before = [None].into_iter().chain(places.iter().map(Some));
    let is_far =
        move |before: Option<&usize>, at| before.is_none_or(|before| at - before > coding.reach());
    let all = places.iter().zip(before);
    all.filter(move |(at, before)| is_far(*before, **at))
        .map(move |(&at, _)| at..at + length)
}

/// Bytes of which no two are alike and which are no text.
const fn blank<const LENGTH: usize>(first: u8) -> [u8; LENGTH] {
    let mut blank = [first; LENGTH];
    let mut at = 1;
    while at < LENGTH {
        blank[at] = blank[at - 1].wrapping_add(37);
        at += 1;
    }
    blank
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
        let text = self.text.as_ref().map_or(0, |(_, text)| text.bytes());
        // The headers and their names come to about a kilobyte.
        self.body.len() + places + text + 1_024
    }
}

#[cfg(test)]
mod tests {
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
    fn words_are_laid_into_a_pressed_page_without_pressing_it_anew() {
        let anna = FormWords {
            token: Digest::of(b"anna").to_string(),
            word: Digest::of(b"her page").to_string(),
        };
        // Between the forms of a long page stands more than a coding refers back to.
        for between in [0, 3_000, 40_000] {
            let text = |words: &FormWords| {
                let (token, key) = (&words.token, words.key());
                let form = |nth: usize| {
                    let prose = (0..between / 8).map(|at| format!("{:7} ", nth * at % 9_973));
                    format!(
                        "<form><input value=\"{token}\"><input value=\"{key}.{nth}\">{}",
                        prose.collect::<String>()
                    )
                };
                (0..40).map(form).collect::<String>()
            };
            for coding in [Coding::Brotli, Coding::Gzip] {
                let mut page = page(text(&anna));
                page.find(&anna);
                let pressed = Arc::new(page).pressed(coding, HeaderMap::new());
                let pressed = pressed.expect("it can be pressed");
                let length = pressed.body.len();
                let longest = if between == 0 {
                    700
                } else {
                    text(&anna).len() / 2
                };
                assert!(length < longest, "{coding:?}: {length} bytes");
                for words in [&words('b'), &anna] {
                    let plain = coding.read(&pressed.with(words)).expect("it can be read");
                    assert_eq!(plain, text(words).as_bytes());
                }
            }
        }
    }

    #[test]
    fn a_page_that_would_not_come_out_as_it_went_in_is_not_pressed_for_others() {
        let anna = words('a');
        for coding in [Coding::Brotli, Coding::Gzip] {
            let mut page = page(format!("{} {}.0", anna.token, anna.key()));
            page.find(&anna);
            // A place that overlaps the other: both words cannot stand there.
            page.keys = vec![page.tokens[0] + 8];
            let pressed = Arc::new(page).pressed(coding, HeaderMap::new());
            assert!(pressed.is_none(), "{coding:?}");
        }
    }

    #[test]
    fn a_page_that_keeps_its_text_too_weighs_both() {
        let anna = words('a');
        let mut page = page(format!("{} {}", anna.token, "tea ".repeat(1_000)));
        page.find(&anna);
        let page = Arc::new(page);
        let brotli = page.pressed(Coding::Brotli, HeaderMap::new());
        let gzip = page.pressed(Coding::Gzip, HeaderMap::new());
        assert!(brotli.expect("it can be pressed").bytes() < page.bytes());
        assert!(gzip.expect("it can be pressed").bytes() > page.bytes());
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
        let pages = Pages::default();
        for nth in 0..200_usize {
            let long = page("x".repeat(1 << 20));
            pages.insert(Digest::of(&nth.to_le_bytes()), Arc::new(long));
        }
        assert!(pages.weight() <= ROOM as u64);
        assert!(!pages.kept.is_empty());
    }

    #[test]
    fn pages_go_when_the_next_turn_begins() {
        let pages = Pages::default();
        let (key, begins) = (Digest::of(b"a page"), 7 * KEPT_FOR.0);
        pages.drop_old(Moment(begins));
        pages.insert(key, Arc::new(page("x".to_owned())));
        pages.drop_old(Moment(begins + KEPT_FOR.0 - 1));
        assert!(pages.get(&key).is_some());
        pages.drop_old(Moment(begins + KEPT_FOR.0));
        assert!(pages.get(&key).is_none());
        assert_eq!(pages.weight(), 0);
    }
}
