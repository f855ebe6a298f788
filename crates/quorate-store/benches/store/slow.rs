//! A store whose syncs take longer, as on the disks of rented servers.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quorate_kernel::command::Actor;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use quorate_runtime::ports::{
    Batch, ClaimFor, ClaimedGame, Epoch, GameRow, Journal, Outage, Snapshot, StoreError,
};
use quorate_store::Store;

/// A store with something added to each sync.
pub(crate) struct Slow {
    pub(crate) store: Arc<Store>,
    pub(crate) added: Duration,
}

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl Journal for Slow {
    async fn claim(&self, game: &GameId, what_for: ClaimFor) -> Result<ClaimedGame> {
        self.store.claim(game, what_for).await
    }

    async fn release(&self, game: &GameId, epoch: Epoch) -> Result<()> {
        self.store.release(game, epoch).await
    }

    async fn append(&self, batches: &[Batch]) -> Result<()> {
        tokio::time::sleep(self.added).await;
        self.store.append(batches).await
    }

    async fn games(&self) -> Result<Vec<GameRow>> {
        self.store.games().await
    }

    async fn game(&self, game: &GameId) -> Result<Option<GameRow>> {
        self.store.game(game).await
    }

    async fn events(&self, game: &GameId, from: EventSeq, count: usize) -> Result<Vec<Vec<u8>>> {
        self.store.events(game, from, count).await
    }

    async fn receipts(
        &self,
        game: &GameId,
        keys: &[(Actor, Name)],
    ) -> Result<Vec<Option<EventSeq>>> {
        self.store.receipts(game, keys).await
    }

    async fn put_snapshot(&self, game: &GameId, snapshot: &Snapshot) -> Result<()> {
        self.store.put_snapshot(game, snapshot).await
    }

    async fn snapshot_before(&self, game: &GameId, at_most: EventSeq) -> Result<Option<Snapshot>> {
        self.store.snapshot_before(game, at_most).await
    }

    async fn unveil(&self, game: &GameId) -> Result<()> {
        self.store.unveil(game).await
    }

    async fn discard(&self, game: &GameId) -> Result<()> {
        self.store.discard(game).await
    }

    async fn set_removed(&self, game: &GameId, at: Option<Moment>) -> Result<bool> {
        self.store.set_removed(game, at).await
    }

    async fn removed(&self) -> Result<Vec<(GameId, Moment)>> {
        self.store.removed().await
    }

    async fn beat(&self, at: Moment) -> Result<()> {
        self.store.beat(at).await
    }

    async fn last_beat(&self) -> Result<Option<Moment>> {
        self.store.last_beat().await
    }

    async fn note_outage(&self, outage: Outage) -> Result<()> {
        self.store.note_outage(outage).await
    }

    async fn outages(&self, after: Moment) -> Result<Vec<Outage>> {
        self.store.outages(after).await
    }
}
