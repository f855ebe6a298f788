//! Old events that lie in files beside the store.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::{EventSeq, GameId, Moment};
use quorate_runtime::old_events::{NOTE_BYTES, OldEvents, RESTING_AT_ONCE};
use quorate_runtime::ports::{Archives, GameRow, Objects, StoreError};

use crate::Store;
use crate::convert;
use crate::error::Explain;
use crate::place::{SEQ_BITS, place};

#[async_trait]
impl Archives for Store {
    fn read_old_events_from(&self, objects: Arc<dyn Objects>) {
        // It is told once.
        drop(self.old_events.set(OldEvents::new(objects)));
    }

    async fn resting(&self, since: Moment) -> Result<Vec<GameRow>, StoreError> {
        let rows = sqlx::query(sqlx::AssertSqlSafe(format!(
            "SELECT games.* FROM games JOIN events ON place = (id << {SEQ_BITS}) + head_seq \
             WHERE whole AND removed_at IS NULL AND head_at < ? AND length(open) > {NOTE_BYTES} LIMIT ?"
        )));
        let rows = rows.bind(since.0).bind(RESTING_AT_ONCE);
        let rows = rows.fetch_all(&self.readers).await.explain()?;
        rows.iter().map(convert::game_row).collect()
    }

    async fn leave_notes(
        &self,
        game: &GameId,
        (first, last): (EventSeq, EventSeq),
        note: &[u8],
    ) -> Result<(), StoreError> {
        let id = self.game_id(game).await?;
        let mut writer = self.writer().await?;
        sqlx::query("UPDATE events SET open = ? WHERE place BETWEEN ? AND ?")
            .bind(note)
            .bind(place(id, first))
            .bind(place(id, last))
            .execute(&mut *writer)
            .await
            .explain()
            .map_err(|error| self.mind(error))?;
        Ok(())
    }
}
