//! A store in memory as a search index.

use async_trait::async_trait;
use quorate_kernel::GameId;

use super::Memory;
use super::index::found;
use crate::ports::{
    IndexPoint, SearchIndex, SearchKey, SearchPlace, SearchQuery, SearchText, StoreError,
};

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
