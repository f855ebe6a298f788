//! The logs of all games.

use std::collections::HashMap;

use async_trait::async_trait;
use quorate_kernel::command::Actor;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use quorate_runtime::judge::Head;
use quorate_runtime::old_events::filled;
use quorate_runtime::ports::{
    Batch, ClaimFor, ClaimedGame, Epoch, GameRow, Journal, Lease, Outage, Snapshot, StoreError,
    actor_word,
};
use sqlx::sqlite::{Sqlite, SqliteRow};
use sqlx::{QueryBuilder, Row};

use crate::Store;
use crate::convert;
use crate::error::{Explain, one};
use crate::place;

/// How many keys are looked up at a time.
const KEYS_AT_ONCE: usize = 500;

impl Store {
    pub(crate) async fn game_id(&self, game: &GameId) -> Result<i64, StoreError> {
        let id: Option<i64> = sqlx::query_scalar("SELECT id FROM games WHERE word = ?")
            .bind(game.as_str())
            .fetch_optional(&self.readers)
            .await
            .explain()?;
        id.ok_or_else(|| StoreError::NoGame { game: game.clone() })
    }
}

#[async_trait]
impl Journal for Store {
    async fn claim(&self, _: &GameId, _: ClaimFor) -> Result<ClaimedGame, StoreError> {
        // Whoever owns the folder owns every game in it.
        let epoch = Epoch(self.lease);
        Ok(ClaimedGame::Ours(Lease { epoch, term: 0 }))
    }

    async fn release(&self, _: &GameId, _: Epoch) -> Result<(), StoreError> {
        Ok(())
    }

    async fn games(&self) -> Result<Vec<GameRow>, StoreError> {
        let rows =
            sqlx::query("SELECT * FROM games WHERE whole AND removed_at IS NULL ORDER BY word");
        let rows = rows.fetch_all(&self.readers).await.explain()?;
        rows.iter().map(convert::game_row).collect()
    }

    async fn game(&self, game: &GameId) -> Result<Option<GameRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM games WHERE word = ? AND removed_at IS NULL");
        let row = row.bind(game.as_str());
        let row = row.fetch_optional(&self.readers).await.explain()?;
        row.as_ref().map(convert::game_row).transpose()
    }

    async fn append(&self, batches: &[Batch]) -> Result<(), StoreError> {
        self.append_all(batches).await
    }

    async fn events(
        &self,
        game: &GameId,
        from: EventSeq,
        event_count: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let id = self.game_id(game).await?;
        let count = u64::try_from(event_count).unwrap_or(u64::MAX);
        let end = EventSeq(from.0.saturating_add(count).min((1 << 40) - 1));
        let rows: Vec<SqliteRow> = sqlx::query(
            "SELECT place, open FROM events WHERE place >= ? AND place < ? ORDER BY place",
        )
        .bind(place::place(id, from))
        .bind(place::place(id, end))
        .fetch_all(&self.readers)
        .await
        .explain()?;
        let mut events = Vec::with_capacity(rows.len());
        let mut seq = from;
        for row in rows {
            let place: i64 = row.try_get(0).explain()?;
            if place != place::place(id, seq) {
                let game = game.clone();
                return Err(StoreError::Gap { game, seq });
            }
            events.push(row.try_get(1).explain()?);
            seq = seq.next();
        }
        filled(self.old_events.get(), game, from, events).await
    }

    async fn receipts(
        &self,
        game: &GameId,
        keys: &[(Actor, Name)],
    ) -> Result<Vec<Option<EventSeq>>, StoreError> {
        let id = self.game_id(game).await?;
        let mut found: HashMap<(String, String), EventSeq> = HashMap::new();
        for some in keys.chunks(KEYS_AT_ONCE) {
            let mut query =
                QueryBuilder::<Sqlite>::new("SELECT actor, key, seq FROM receipts WHERE game = ");
            query.push_bind(id);
            query.push(" AND (actor, key) IN (");
            query.push_values(some, |mut row, (actor, key)| {
                row.push_bind(actor_word(*actor))
                    .push_bind(key.as_str().to_owned());
            });
            query.push(")");
            for row in query.build().fetch_all(&self.readers).await.explain()? {
                let key = (row.try_get(0).explain()?, row.try_get(1).explain()?);
                found.insert(key, convert::seq(row.try_get(2).explain()?));
            }
        }
        let seqs = keys.iter().map(|(actor, key)| {
            let key = (actor_word(*actor), key.as_str().to_owned());
            found.get(&key).copied()
        });
        Ok(seqs.collect())
    }

    async fn put_snapshot(&self, game: &GameId, snapshot: &Snapshot) -> Result<(), StoreError> {
        let id = self.game_id(game).await?;
        let mut writer = self.log_writer().await?;
        sqlx::query(
            "INSERT OR REPLACE INTO snapshots (game, seq, hash, at, digest, open) \
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(id)
        .bind(snapshot.head.seq.0.cast_signed())
        .bind(snapshot.head.hash.0.to_vec())
        .bind(snapshot.head.at.0)
        .bind(snapshot.digest.0.to_vec())
        .bind(snapshot.open.clone())
        .execute(&mut *writer)
        .await
        .explain()
        .map_err(|error| self.mind(error))?;
        Ok(())
    }

    async fn snapshot_before(
        &self,
        game: &GameId,
        at_most: EventSeq,
    ) -> Result<Option<Snapshot>, StoreError> {
        let id = self.game_id(game).await?;
        let row = sqlx::query(
            "SELECT seq, hash, at, digest, open FROM snapshots WHERE game = ? AND seq <= ? \
             ORDER BY seq DESC LIMIT 1",
        )
        .bind(id)
        .bind(i64::try_from(at_most.0).unwrap_or(i64::MAX))
        .fetch_optional(&self.readers)
        .await
        .explain()?;
        let read = |row: SqliteRow| {
            Ok(Snapshot {
                head: Head {
                    seq: convert::seq(row.try_get("seq").explain()?),
                    hash: convert::digest(&row, "hash")?,
                    at: convert::moment(&row, "at")?,
                },
                digest: convert::digest(&row, "digest")?,
                open: row.try_get("open").explain()?,
            })
        };
        row.map(read).transpose()
    }

    async fn unveil(&self, game: &GameId) -> Result<(), StoreError> {
        let mut writer = self.writer().await?;
        sqlx::query("UPDATE games SET whole = 1 WHERE word = ?")
            .bind(game.as_str())
            .execute(&mut *writer)
            .await
            .explain()
            .map_err(|error| self.mind(error))?;
        Ok(())
    }

    async fn discard(&self, game: &GameId) -> Result<(), StoreError> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        let id: Option<i64> =
            sqlx::query_scalar("DELETE FROM games WHERE word = ? AND NOT whole RETURNING id")
                .bind(game.as_str())
                .fetch_optional(&mut *writer)
                .await
                .explain()?;
        if let Some(id) = id {
            sqlx::query("DELETE FROM events WHERE place >= ? AND place < ?")
                .bind(place::place(id, EventSeq(0)))
                .bind(place::place(id + 1, EventSeq(0)))
                .execute(&mut *writer)
                .await
                .explain()?;
            for of_game in [
                "DELETE FROM receipts WHERE game = ?",
                "DELETE FROM snapshots WHERE game = ?",
            ] {
                let deleted = sqlx::query(of_game).bind(id).execute(&mut *writer);
                deleted.await.explain()?;
            }
        }
        let event_count = crate::file::event_count(&mut *writer).await?;
        // Noted before, for fewer than there are is no fault.
        self.note_count(event_count);
        writer.commit().await.map_err(|e| self.mind(e))?;
        *writer.event_count() = event_count;
        Ok(())
    }

    async fn set_removed(&self, game: &GameId, at: Option<Moment>) -> Result<bool, StoreError> {
        let mut writer = self.writer().await?;
        let changed = sqlx::query("UPDATE games SET removed_at = ? WHERE word = ? AND whole")
            .bind(at.map(|at| at.0))
            .bind(game.as_str())
            .execute(&mut *writer)
            .await
            .explain()
            .map_err(|error| self.mind(error))?;
        Ok(changed.rows_affected() > 0)
    }

    async fn removed(&self) -> Result<Vec<(GameId, Moment)>, StoreError> {
        let rows = sqlx::query(
            "SELECT word, removed_at FROM games WHERE removed_at IS NOT NULL ORDER BY word",
        );
        let rows = rows.fetch_all(&self.readers).await.explain()?;
        let read = |row: &SqliteRow| {
            Ok((
                convert::word(row, "word")?,
                convert::moment(row, "removed_at")?,
            ))
        };
        rows.iter().map(read).collect()
    }

    async fn beat(&self, at: Moment) -> Result<(), StoreError> {
        let mut writer = self.writer().await?;
        let beaten = sqlx::query_scalar("UPDATE server SET beat = ? RETURNING lease").bind(at.0);
        let beaten = beaten.fetch_all(&mut *writer).await;
        writer.is_done();
        let theirs: i64 = one(beaten).explain().map_err(|error| self.mind(error))?;
        match (self.lease, theirs.unsigned_abs()) {
            (ours, theirs) if ours == theirs => Ok(()),
            (ours, theirs) => Err(StoreError::LeaseLost { ours, theirs }),
        }
    }

    async fn last_beat(&self) -> Result<Option<Moment>, StoreError> {
        let beat: Option<i64> = sqlx::query_scalar("SELECT beat FROM server")
            .fetch_one(&self.readers)
            .await
            .explain()?;
        Ok(beat.map(Moment))
    }

    async fn note_outage(&self, outage: Outage) -> Result<(), StoreError> {
        let mut writer = self.writer().await?;
        sqlx::query("INSERT OR REPLACE INTO outages (until, since) VALUES (?, ?)")
            .bind(outage.until.0)
            .bind(outage.since.0)
            .execute(&mut *writer)
            .await
            .explain()
            .map_err(|error| self.mind(error))?;
        Ok(())
    }

    async fn outages(&self, after: Moment) -> Result<Vec<Outage>, StoreError> {
        let rows = sqlx::query("SELECT since, until FROM outages WHERE until > ? ORDER BY until")
            .bind(after.0)
            .fetch_all(&self.readers)
            .await
            .explain()?;
        let read = |row: &SqliteRow| {
            Ok(Outage {
                since: convert::moment(row, "since")?,
                until: convert::moment(row, "until")?,
            })
        };
        rows.iter().map(read).collect()
    }
}
