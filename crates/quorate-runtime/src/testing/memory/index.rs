//! What a store in memory can find in one game.

use std::collections::{BTreeMap, BTreeSet};

use quorate_kernel::digest::Digest;

use crate::ports::{IndexPoint, SearchKey, SearchPlace, SearchQuery, SearchText, search_words};

/// The index of one game.
#[derive(Default)]
pub(super) struct MemoryIndex {
    pub(super) point: Option<IndexPoint>,
    pub(super) texts: BTreeMap<SearchKey, SearchText>,
    pub(super) waiting: BTreeSet<SearchKey>,
}

impl MemoryIndex {
    /// Takes out what has forgotten words.
    pub(super) fn forget(&mut self, digests: &[Digest]) {
        let gone = self.texts.iter();
        let gone = gone.filter(|(_, text)| text.seals.iter().any(|seal| digests.contains(seal)));
        let gone: Vec<SearchKey> = gone.map(|(key, _)| key.clone()).collect();
        for key in gone {
            self.texts.remove(&key);
            self.waiting.insert(key);
        }
    }
}

/// Where a text stands among those that are found, if it is.
pub(super) fn found(
    key: &SearchKey,
    text: &SearchText,
    query: &SearchQuery,
) -> Option<SearchPlace> {
    let is_meant = query.part.is_none_or(|part| key.part() == part)
        && query
            .category
            .as_ref()
            .is_none_or(|category| text.category == *category)
        && (query.by.is_none() || text.by == query.by)
        && query.since.is_none_or(|since| text.at >= since)
        && query.until.is_none_or(|until| text.at < until);
    let (title, words) = (search_words(&text.title), search_words(&text.text));
    let mut terms = query.terms.iter();
    let is_there = terms.all(|term| {
        let has = |words: &[String]| term.place_in(words).is_some();
        has(&title) || has(&words)
    });
    let mut terms = query.terms.iter();
    (is_meant && is_there).then(|| SearchPlace {
        in_title: !query.terms.is_empty() && terms.all(|term| term.place_in(&title).is_some()),
        at: text.at,
        key: key.clone(),
    })
}
