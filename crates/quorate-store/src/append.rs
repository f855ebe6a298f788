//! Appending: events of several games in one transaction with one sync.

use quorate_runtime::judge::Head;
use quorate_runtime::ports::{Batch, Epoch, StoreError, Stored, actor_word};
use sqlx::QueryBuilder;
use sqlx::sqlite::{Sqlite, SqliteConnection};

use crate::error::Explain;
use crate::place::place;
use crate::{Store, seals};

/// How many rows go into one statement; SQLite takes some 32 thousand parameters.
const AT_ONCE: usize = 500;

impl Store {
    /// Appends all batches or none.
    pub(crate) async fn append_all(&self, batches: &[Batch]) -> Result<(), StoreError> {
        let mut writer = self.log_writer().await?;
        let events = batches.iter().flat_map(|batch| &batch.events);
        let fresh = self.known_seals.unknown(events.flat_map(|e| &e.seals));
        writer.begin().await?;
        let theirs = newest_lease(&mut writer).await?;
        let mut placed = Vec::new();
        for batch in batches {
            let Epoch(ours) = batch.epoch;
            if ours != theirs {
                return Err(StoreError::LeaseLost { ours, theirs });
            }
            let game_id = move_head(&mut writer, batch).await?;
            placed.extend(batch.events.iter().map(|event| (game_id, event)));
        }
        insert_events(&mut writer, &placed).await?;
        insert_receipts(&mut writer, &placed).await?;
        seals::insert(&mut writer, &fresh).await?;
        writer.commit().await.map_err(|error| self.mind(error))?;
        let appended = batches.iter().map(|batch| batch.events.len());
        *writer.event_count() += u64::try_from(appended.sum::<usize>()).unwrap_or(u64::MAX);
        self.note_count(*writer.event_count());
        self.known_seals.note(&fresh);
        Ok(())
    }
}

impl Store {
    /// Whether this process still owns the store.
    pub(crate) async fn check_lease(
        &self,
        writer: &mut SqliteConnection,
    ) -> Result<(), StoreError> {
        match (self.lease, newest_lease(writer).await?) {
            (ours, theirs) if ours == theirs => Ok(()),
            (ours, theirs) => Err(StoreError::LeaseLost { ours, theirs }),
        }
    }
}

/// The number of the newest lease on the whole store.
async fn newest_lease(writer: &mut SqliteConnection) -> Result<u64, StoreError> {
    let lease: i64 = sqlx::query_scalar("SELECT lease FROM server")
        .fetch_one(writer)
        .await
        .explain()?;
    Ok(lease.unsigned_abs())
}

/// Notes where a log ends now, if it ended where the batch begins. Gives the game's id.
async fn move_head(writer: &mut SqliteConnection, batch: &Batch) -> Result<i64, StoreError> {
    let game = || batch.game.clone();
    if batch.after == Head::START {
        let id = found(writer, batch).await?;
        return id.ok_or_else(|| StoreError::GameExists { game: game() });
    }
    let id: Option<i64> = sqlx::query_scalar(
        "UPDATE games SET head_seq = ?, head_hash = ?, head_at = ?, next_due = ? \
         WHERE word = ? AND head_seq = ? AND head_hash = ? RETURNING id",
    )
    .bind(batch.head.seq.0.cast_signed())
    .bind(batch.head.hash.0.to_vec())
    .bind(batch.head.at.0)
    .bind(batch.next_due.map(|at| at.0))
    .bind(batch.game.as_str())
    .bind(batch.after.seq.0.cast_signed())
    .bind(batch.after.hash.0.to_vec())
    .fetch_optional(&mut *writer)
    .await
    .explain()?;
    if let Some(id) = id {
        return Ok(id);
    }
    let there: Option<i64> = sqlx::query_scalar("SELECT id FROM games WHERE word = ?")
        .bind(batch.game.as_str())
        .fetch_optional(writer)
        .await
        .explain()?;
    Err(match there {
        Some(_) => StoreError::HeadMoved { game: game() },
        None => StoreError::NoGame { game: game() },
    })
}

async fn found(writer: &mut SqliteConnection, batch: &Batch) -> Result<Option<i64>, StoreError> {
    let secret = batch.arrival.as_ref().and_then(|arrival| arrival.secret);
    sqlx::query_scalar(
        "INSERT INTO games (word, whole, head_seq, head_hash, head_at, next_due, secret) \
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (word) DO NOTHING RETURNING id",
    )
    .bind(batch.game.as_str())
    .bind(batch.arrival.is_none())
    .bind(batch.head.seq.0.cast_signed())
    .bind(batch.head.hash.0.to_vec())
    .bind(batch.head.at.0)
    .bind(batch.next_due.map(|at| at.0))
    .bind(secret.map(|secret| secret.to_vec()))
    .fetch_optional(writer)
    .await
    .explain()
}

async fn insert_events(
    writer: &mut SqliteConnection,
    placed: &[(i64, &Stored)],
) -> Result<(), StoreError> {
    for some in placed.chunks(AT_ONCE) {
        let mut query = QueryBuilder::<Sqlite>::new("INSERT INTO events (place, open) ");
        query.push_values(some, |mut row, (game_id, event)| {
            row.push_bind(place(*game_id, event.seq))
                .push_bind(event.open.clone());
        });
        query.build().execute(&mut *writer).await.explain()?;
    }
    Ok(())
}

async fn insert_receipts(
    writer: &mut SqliteConnection,
    placed: &[(i64, &Stored)],
) -> Result<(), StoreError> {
    let of_people = placed.iter().filter(|(_, event)| event.has_receipt());
    let of_people: Vec<_> = of_people.collect();
    for some in of_people.chunks(AT_ONCE) {
        let mut query =
            QueryBuilder::<Sqlite>::new("INSERT INTO receipts (game, actor, key, seq) ");
        query.push_values(some, |mut row, (game_id, event)| {
            row.push_bind(*game_id)
                .push_bind(actor_word(event.actor))
                .push_bind(event.key.as_str().to_owned())
                .push_bind(event.seq.0.cast_signed());
        });
        query.build().execute(&mut *writer).await.explain()?;
    }
    Ok(())
}
