//! Files beside a store, and logs whose old events lie in them.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::{EventSeq, GameId, Moment};

use super::{GameRow, Journal, StoreError};

/// Files in a folder or a bucket, by names with slashes.
#[async_trait]
pub trait Objects: Send + Sync {
    /// Keeps a file, in the place of one that was there.
    async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// A file; none where it is not there.
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Drops a file permanently. One that is not there is no error.
    async fn remove(&self, name: &str) -> Result<(), StoreError>;

    /// Drops all files in a folder that are called so, or all there are where that is empty.
    async fn remove_all(&self, folder: &str, called: &str) -> Result<(), StoreError>;
}

/// A journal whose old events may lie in files. It reads them from there as if they lay here.
#[async_trait]
pub trait Archives: Journal {
    /// Where these files are. To be told once, before anything is read.
    fn read_old_events_from(&self, objects: Arc<dyn Objects>);

    /// Some games in which nothing has happened since a moment and whose newest event still lies here.
    async fn resting(&self, since: Moment) -> Result<Vec<GameRow>, StoreError>;

    /// Drops the bytes of events from the first to the last, which lie in a file now, and leaves a note in the place of each.
    async fn leave_notes(
        &self,
        game: &GameId,
        (first, last): (EventSeq, EventSeq),
        note: &[u8],
    ) -> Result<(), StoreError>;
}
