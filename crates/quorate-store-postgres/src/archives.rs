//! Old events that lie in files beside the store.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::{EventSeq, GameId, Moment};
use quorate_runtime::old_events::{NOTE_BYTES, OldEvents, RESTING_AT_ONCE};
use quorate_runtime::ports::{Archives, GameRow, Objects, StoreError};

use crate::{PostgresStore, convert};

#[async_trait]
impl Archives for PostgresStore {
    fn read_old_events_from(&self, objects: Arc<dyn Objects>) {
        // It is told once.
        drop(self.old_events.set(OldEvents::new(objects)));
    }

    async fn resting(&self, since: Moment) -> Result<Vec<GameRow>, StoreError> {
        let rows = self.database.ask(|pool| async move {
            sqlx::query(sqlx::AssertSqlSafe(format!(
                "SELECT games.* FROM games JOIN events ON game = id AND seq = head_seq \
                 WHERE whole AND removed_at IS NULL AND head_at < $1 AND length(open) > {NOTE_BYTES} LIMIT $2"
            )))
            .bind(since.0)
            .bind(RESTING_AT_ONCE)
            .fetch_all(&pool)
            .await
        });
        rows.await?.iter().map(convert::game_row).collect()
    }

    async fn leave_notes(
        &self,
        game: &GameId,
        (first, last): (EventSeq, EventSeq),
        note: &[u8],
    ) -> Result<(), StoreError> {
        let id = self.game_id(game).await?;
        let left = self.database.ask(|pool| async move {
            sqlx::query("UPDATE events SET open = $4 WHERE game = $1 AND seq BETWEEN $2 AND $3")
                .bind(id)
                .bind(first.0.cast_signed())
                .bind(last.0.cast_signed())
                .bind(note)
                .execute(&pool)
                .await
        });
        left.await.map(drop)
    }
}
