//! The index of a store in memory.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_kernel::digest::Digest;

use super::Memory;
use crate::ports::{
    IndexPoint, SearchIndex, SearchKey, SearchPlace, SearchQuery, SearchText, StoreError,
    search_words,
};

/// What it has of one game.
#[derive(Default)]
pub(super) struct MemoryIndex {
    point: Option<IndexPoint>,
    texts: BTreeMap<SearchKey, SearchText>,
    waiting: BTreeSet<SearchKey>,
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
fn found(key: &SearchKey, text: &SearchText, query: &SearchQuery) -> Option<SearchPlace> {
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

#[async_trait]
impl SearchIndex for Memory {
    async fn index_point(&self, game: &GameId) -> Result<Option<IndexPoint>, StoreError> {
        let kept = self.kept();
        Ok(kept.index.get(game).and_then(|index| index.point))
    }

    async fn index_waiting(&self, game: &GameId) -> Result<Vec<SearchKey>, StoreError> {
        let kept = self.kept();
        let waiting = kept.index.get(game).map(|index| &index.waiting);
        Ok(waiting.into_iter().flatten().cloned().collect())
    }

    async fn take_into_index(
        &self,
        game: &GameId,
        from: Option<IndexPoint>,
        to: IndexPoint,
        texts: &[(SearchKey, Option<SearchText>)],
    ) -> Result<bool, StoreError> {
        let mut kept = self.kept();
        let forgotten = kept.forgotten.clone();
        let index = kept.index.entry(game.clone()).or_default();
        if index.point != from {
            return Ok(false);
        }
        index.point = Some(to);
        for (key, text) in texts {
            index.texts.remove(key);
            index.waiting.remove(key);
            match text {
                Some(text) if text.seals.iter().any(|seal| forgotten.contains(seal)) => {
                    index.waiting.insert(key.clone());
                }
                Some(text) => {
                    index.texts.insert(key.clone(), text.clone());
                }
                None => {}
            }
        }
        Ok(true)
    }

    async fn clear_index(&self, game: Option<&GameId>) -> Result<(), StoreError> {
        let index = &mut self.kept().index;
        match game {
            Some(game) => drop(index.remove(game)),
            None => index.clear(),
        }
        Ok(())
    }

    async fn search(
        &self,
        game: &GameId,
        query: &SearchQuery,
        after: Option<&SearchPlace>,
        count: u32,
    ) -> Result<Vec<SearchPlace>, StoreError> {
        let kept = self.kept();
        let texts = kept.index.get(game).map(|index| &index.texts);
        let texts = texts.into_iter().flatten();
        let mut places: Vec<SearchPlace> = texts
            .filter_map(|(key, text)| found(key, text, query))
            .filter(|place| after.is_none_or(|after| place.rank() < after.rank()))
            .collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.rank()));
        places.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        Ok(places)
    }
}
