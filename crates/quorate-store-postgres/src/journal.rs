//! The logs of all games.

use std::collections::HashMap;

use async_trait::async_trait;
use quorate_kernel::command::Actor;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use quorate_runtime::judge::Head;
use quorate_runtime::old_events::filled;
use quorate_runtime::ports::{
    Batch, ClaimFor, ClaimedGame, Epoch, GameRow, Journal, Outage, Snapshot, StoreError, actor_word,
};
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::PostgresStore;
use crate::convert;
use crate::error::Explain;

impl PostgresStore {
    pub(crate) async fn game_id(&self, game: &GameId) -> Result<i64, StoreError> {
        if let Some(id) = self.ids.find(game) {
            return Ok(id);
        }
        let id: Option<(i64, bool)> = self
            .database
            .ask(|pool| async move {
                sqlx::query_as("SELECT id, whole FROM games WHERE word = $1")
                    .bind(game.as_str())
                    .fetch_optional(&pool)
                    .await
            })
            .await?;
        let (id, whole) = id.ok_or_else(|| StoreError::NoGame { game: game.clone() })?;
        // A game that is whole is never dropped, so its number stays.
        if whole {
            self.ids.note(game, id);
        }
        Ok(id)
    }
}

#[async_trait]
impl Journal for PostgresStore {
    async fn claim(&self, game: &GameId, what_for: ClaimFor) -> Result<ClaimedGame, StoreError> {
        self.claim_game(game, what_for).await
    }

    async fn release(&self, game: &GameId, epoch: Epoch) -> Result<(), StoreError> {
        self.release_game(game, epoch).await
    }

    async fn games(&self) -> Result<Vec<GameRow>, StoreError> {
        let rows = self.database.ask(|pool| async move {
            sqlx::query("SELECT * FROM games WHERE whole AND removed_at IS NULL ORDER BY word COLLATE \"C\"")
                .fetch_all(&pool)
                .await
        });
        rows.await?.iter().map(convert::game_row).collect()
    }

    async fn game(&self, game: &GameId) -> Result<Option<GameRow>, StoreError> {
        let row = self.database.ask(|pool| async move {
            sqlx::query("SELECT * FROM games WHERE word = $1 AND removed_at IS NULL")
                .bind(game.as_str())
                .fetch_optional(&pool)
                .await
        });
        row.await?.as_ref().map(convert::game_row).transpose()
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
        let count = i64::try_from(event_count).unwrap_or(i64::MAX);
        let first = from.0.cast_signed();
        let rows = self.database.ask(|pool| async move {
            sqlx::query(
                "SELECT seq, open FROM events WHERE game = $1 AND seq >= $2 AND seq < $3 ORDER BY seq",
            )
            .bind(id)
            .bind(first)
            .bind(first.saturating_add(count))
            .fetch_all(&pool)
            .await
        });
        let rows = rows.await?;
        let mut events = Vec::with_capacity(rows.len());
        let mut seq = from;
        for row in rows {
            if convert::seq(row.try_get(0).explain()?) != seq {
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
        let actors: Vec<String> = keys.iter().map(|(actor, _)| actor_word(*actor)).collect();
        let words: Vec<&str> = keys.iter().map(|(_, key)| key.as_str()).collect();
        let (asked_actors, asked_words) = (&actors, &words);
        let rows = self.database.ask(|pool| async move {
            sqlx::query(
                "SELECT actor, key, seq FROM receipts JOIN unnest($2::text[], $3::text[]) \
                 AS wanted (actor, key) USING (actor, key) WHERE game = $1",
            )
            .bind(id)
            .bind(asked_actors)
            .bind(asked_words)
            .fetch_all(&pool)
            .await
        });
        let mut found: HashMap<(String, String), EventSeq> = HashMap::new();
        for row in rows.await? {
            let key = (row.try_get(0).explain()?, row.try_get(1).explain()?);
            found.insert(key, convert::seq(row.try_get(2).explain()?));
        }
        let seqs = keys.iter().map(|(actor, key)| {
            let key = (actor_word(*actor), key.as_str().to_owned());
            found.get(&key).copied()
        });
        Ok(seqs.collect())
    }

    async fn put_snapshot(&self, game: &GameId, snapshot: &Snapshot) -> Result<(), StoreError> {
        let id = self.game_id(game).await?;
        let put = self.database.ask(|pool| async move {
            sqlx::query(
                "INSERT INTO snapshots (game, seq, hash, at, digest, open) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (game, seq) DO UPDATE \
                 SET hash = excluded.hash, at = excluded.at, digest = excluded.digest, \
                 open = excluded.open",
            )
            .bind(id)
            .bind(snapshot.head.seq.0.cast_signed())
            .bind(snapshot.head.hash.0.as_slice())
            .bind(snapshot.head.at.0)
            .bind(snapshot.digest.0.as_slice())
            .bind(snapshot.open.as_slice())
            .execute(&pool)
            .await
        });
        put.await.map(drop)
    }

    async fn snapshot_before(
        &self,
        game: &GameId,
        at_most: EventSeq,
    ) -> Result<Option<Snapshot>, StoreError> {
        let id = self.game_id(game).await?;
        let row = self.database.ask(|pool| async move {
            sqlx::query(
                "SELECT seq, hash, at, digest, open FROM snapshots WHERE game = $1 AND seq <= $2 \
                 ORDER BY seq DESC LIMIT 1",
            )
            .bind(id)
            .bind(i64::try_from(at_most.0).unwrap_or(i64::MAX))
            .fetch_optional(&pool)
            .await
        });
        let read = |row: PgRow| {
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
        row.await?.map(read).transpose()
    }

    async fn unveil(&self, game: &GameId) -> Result<(), StoreError> {
        let unveiled = self.database.ask(|pool| async move {
            sqlx::query("UPDATE games SET whole = true WHERE word = $1")
                .bind(game.as_str())
                .execute(&pool)
                .await
        });
        unveiled.await.map(drop)
    }

    async fn discard(&self, game: &GameId) -> Result<(), StoreError> {
        let discarded = self.database.ask(|pool| async move {
            let mut transaction = pool.begin().await?;
            let id: Option<i64> =
                sqlx::query_scalar("DELETE FROM games WHERE word = $1 AND NOT whole RETURNING id")
                    .bind(game.as_str())
                    .fetch_optional(&mut *transaction)
                    .await?;
            for of_game in [
                "DELETE FROM events WHERE game = $1",
                "DELETE FROM receipts WHERE game = $1",
                "DELETE FROM snapshots WHERE game = $1",
            ] {
                let deleted = sqlx::query(of_game).bind(id).execute(&mut *transaction);
                deleted.await?;
            }
            transaction.commit().await
        });
        discarded.await
    }

    async fn set_removed(&self, game: &GameId, at: Option<Moment>) -> Result<bool, StoreError> {
        let changed = self.database.ask(|pool| async move {
            sqlx::query("UPDATE games SET removed_at = $2 WHERE word = $1 AND whole")
                .bind(game.as_str())
                .bind(at.map(|at| at.0))
                .execute(&pool)
                .await
        });
        Ok(changed.await?.rows_affected() > 0)
    }

    async fn removed(&self) -> Result<Vec<(GameId, Moment)>, StoreError> {
        let rows = self.database.ask(|pool| async move {
            sqlx::query(
                "SELECT word, removed_at FROM games WHERE removed_at IS NOT NULL \
                 ORDER BY word COLLATE \"C\"",
            )
            .fetch_all(&pool)
            .await
        });
        let read = |row: &PgRow| {
            Ok((
                convert::word(row, "word")?,
                convert::moment(row, "removed_at")?,
            ))
        };
        rows.await?.iter().map(read).collect()
    }

    async fn beat(&self, at: Moment) -> Result<(), StoreError> {
        // Of several nodes whose clocks differ the latest counts.
        let beaten = self.database.ask(|pool| async move {
            sqlx::query("UPDATE server SET beat = greatest(beat, $1)")
                .bind(at.0)
                .execute(&pool)
                .await
        });
        beaten.await.map(drop)
    }

    async fn last_beat(&self) -> Result<Option<Moment>, StoreError> {
        let beat: Option<i64> = self
            .database
            .ask(|pool| async move {
                sqlx::query_scalar("SELECT beat FROM server")
                    .fetch_one(&pool)
                    .await
            })
            .await?;
        Ok(beat.map(Moment))
    }

    async fn note_outage(&self, outage: Outage) -> Result<(), StoreError> {
        let noted = self.database.ask(|pool| async move {
            sqlx::query("INSERT INTO outages (since, until) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                .bind(outage.since.0)
                .bind(outage.until.0)
                .execute(&pool)
                .await
        });
        noted.await.map(drop)
    }

    async fn outages(&self, after: Moment) -> Result<Vec<Outage>, StoreError> {
        let rows = self.database.ask(|pool| async move {
            sqlx::query("SELECT since, until FROM outages WHERE until > $1 ORDER BY until")
                .bind(after.0)
                .fetch_all(&pool)
                .await
        });
        let read = |row: &PgRow| {
            Ok(Outage {
                since: convert::moment(row, "since")?,
                until: convert::moment(row, "until")?,
            })
        };
        rows.await?.iter().map(read).collect()
    }
}
