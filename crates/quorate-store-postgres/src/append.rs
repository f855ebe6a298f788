//! Appending: events of several games in one transaction, and what becomes of one that nobody answered.

use std::collections::HashMap;
use std::time::Duration;

use quorate_kernel::record;
use quorate_kernel::seal::SealBytes;
use quorate_runtime::judge::Head;
use quorate_runtime::ports::{Batch, StoreError, Stored, actor_word};
use sqlx::postgres::{PgConnection, PgPool};
use sqlx::{Postgres, Row, Transaction};

use crate::PostgresStore;
use crate::database::Failure;
use crate::error::store_error;

/// How long an append whose end is not known is followed up before its senders are told that nobody knows.
const SETTLE_WITHIN: Duration = Duration::from_secs(20);

/// Why one try to append did not end well.
enum Stop {
    /// The ports' word for it; nothing was written.
    No(StoreError),
    /// The database went away, or said something of its own.
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

type Tried<T> = Result<T, Stop>;

impl PostgresStore {
    /// Appends all batches or none.
    pub(crate) async fn append_all(&self, batches: &[Batch]) -> Result<(), StoreError> {
        let settled = self.append_until_known(batches);
        let appended = tokio::time::timeout(SETTLE_WITHIN, settled).await;
        appended.unwrap_or(Err(StoreError::InDoubt))?;
        for batch in batches {
            self.tell(&batch.game, batch.head.seq);
        }
        Ok(())
    }

    async fn append_until_known(&self, batches: &[Batch]) -> Result<(), StoreError> {
        let events = batches.iter().flat_map(|batch| &batch.events);
        let fresh = self.known_seals.unknown(events.flat_map(|e| &e.seals));
        loop {
            let turn = self.database.turn();
            // A refusal of the ports' own travels as a value, for it is no failure of the database.
            let fresh = &fresh;
            let tried = self.database.once(|pool| async move {
                match try_append(&pool, batches, fresh).await {
                    Ok(()) => Ok(Ok(())),
                    Err(Stop::No(error)) => Ok(Err(error)),
                    Err(Stop::Database(error)) => Err(error),
                }
            });
            match tried.await {
                Ok(Ok(())) => {
                    self.known_seals.note(fresh);
                    return Ok(());
                }
                Ok(Err(error)) => return Err(error),
                Err(Failure::Said(error)) => return Err(store_error(&error)),
                Err(Failure::Gone(how)) => {
                    tracing::warn!("the database went away during an append, which is looked into");
                    self.database.find(turn, how).await;
                    // Another host may lack what this one wrote without waiting for it.
                    self.known_seals.clear();
                    if self.is_there(batches).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Whether batches whose append was not answered are there. They are all there or none.
    async fn is_there(&self, batches: &[Batch]) -> Result<bool, StoreError> {
        let Some(batch) = batches.iter().find(|batch| !batch.events.is_empty()) else {
            return Ok(true);
        };
        let found = self.database.ask(|pool| async move {
            let mut transaction = pool.begin().await?;
            // The lock waits for the end of an append that still runs without us.
            let head: Option<(i64, i64)> =
                sqlx::query_as("SELECT id, head_seq FROM games WHERE word = $1 FOR UPDATE")
                    .bind(batch.game.as_str())
                    .fetch_optional(&mut *transaction)
                    .await?;
            let Some((id, _)) = head else {
                return Ok(None);
            };
            let open: Option<Vec<u8>> =
                sqlx::query_scalar("SELECT open FROM events WHERE game = $1 AND seq = $2")
                    .bind(id)
                    .bind(batch.head.seq.0.cast_signed())
                    .fetch_optional(&mut *transaction)
                    .await?;
            transaction.commit().await?;
            Ok(open)
        });
        let open = found.await?;
        Ok(open.is_some_and(|open| record::hash(&open) == batch.head.hash))
    }
}

async fn try_append(pool: &PgPool, batches: &[Batch], fresh: &[&SealBytes]) -> Tried<()> {
    let mut transaction = pool.begin().await?;
    check_leases(&mut transaction, batches).await?;
    let ids = move_heads(&mut transaction, batches).await?;
    let placed: Vec<(i64, &Stored)> = batches
        .iter()
        .zip(&ids)
        .flat_map(|(batch, id)| batch.events.iter().map(|event| (*id, event)))
        .collect();
    insert_events(&mut transaction, &placed).await?;
    insert_receipts(&mut transaction, &placed).await?;
    insert_seals(&mut transaction, fresh).await?;
    transaction.commit().await?;
    Ok(())
}

/// Whether this node still owns every game, and that nobody takes one over before the end of the transaction.
async fn check_leases(transaction: &mut Transaction<'_, Postgres>, batches: &[Batch]) -> Tried<()> {
    let games: Vec<&str> = batches.iter().map(|batch| batch.game.as_str()).collect();
    let rows = sqlx::query(
        "SELECT game, epoch FROM leases WHERE game = ANY($1) AND node IS NOT NULL \
         ORDER BY game FOR KEY SHARE",
    )
    .bind(games)
    .fetch_all(&mut **transaction)
    .await?;
    let mut newest: HashMap<String, u64> = HashMap::new();
    for row in rows {
        let epoch: i64 = row.try_get(1)?;
        newest.insert(row.try_get(0)?, epoch.unsigned_abs());
    }
    for batch in batches {
        if newest.get(batch.game.as_str()) != Some(&batch.epoch.0) {
            let game = batch.game.clone();
            return Err(Stop::No(StoreError::GameTaken { game }));
        }
    }
    Ok(())
}

/// Notes where each log ends now, if it ended where its batch begins. Gives the games' ids.
async fn move_heads(
    transaction: &mut Transaction<'_, Postgres>,
    batches: &[Batch],
) -> Tried<Vec<i64>> {
    let mut ids = Vec::with_capacity(batches.len());
    for batch in batches {
        let id = if batch.after == Head::START {
            let game = || batch.game.clone();
            let id = found(transaction, batch).await?;
            id.ok_or_else(|| Stop::No(StoreError::GameExists { game: game() }))?
        } else {
            move_head(transaction, batch).await?
        };
        ids.push(id);
    }
    Ok(ids)
}

async fn move_head(writer: &mut PgConnection, batch: &Batch) -> Tried<i64> {
    let id: Option<i64> = sqlx::query_scalar(
        "UPDATE games SET head_seq = $1, head_hash = $2, head_at = $3, next_due = $4 \
         WHERE word = $5 AND head_seq = $6 AND head_hash = $7 RETURNING id",
    )
    .bind(batch.head.seq.0.cast_signed())
    .bind(batch.head.hash.0.to_vec())
    .bind(batch.head.at.0)
    .bind(batch.next_due.map(|at| at.0))
    .bind(batch.game.as_str())
    .bind(batch.after.seq.0.cast_signed())
    .bind(batch.after.hash.0.to_vec())
    .fetch_optional(&mut *writer)
    .await?;
    if let Some(id) = id {
        return Ok(id);
    }
    let there: Option<i64> = sqlx::query_scalar("SELECT id FROM games WHERE word = $1")
        .bind(batch.game.as_str())
        .fetch_optional(writer)
        .await?;
    let game = batch.game.clone();
    Err(Stop::No(match there {
        Some(_) => StoreError::HeadMoved { game },
        None => StoreError::NoGame { game },
    }))
}

async fn found(writer: &mut PgConnection, batch: &Batch) -> Result<Option<i64>, sqlx::Error> {
    let secret = batch.arrival.as_ref().and_then(|arrival| arrival.secret);
    sqlx::query_scalar(
        "INSERT INTO games (word, whole, head_seq, head_hash, head_at, next_due, secret) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (word) DO NOTHING RETURNING id",
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
}

async fn insert_events(writer: &mut PgConnection, placed: &[(i64, &Stored)]) -> Tried<()> {
    let games: Vec<i64> = placed.iter().map(|(id, _)| *id).collect();
    let seqs: Vec<i64> = placed.iter().map(|(_, e)| e.seq.0.cast_signed()).collect();
    let opens: Vec<&[u8]> = placed.iter().map(|(_, e)| e.open.as_slice()).collect();
    sqlx::query(
        "INSERT INTO events (game, seq, open) \
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])",
    )
    .bind(games)
    .bind(seqs)
    .bind(opens)
    .execute(writer)
    .await?;
    Ok(())
}

async fn insert_receipts(writer: &mut PgConnection, placed: &[(i64, &Stored)]) -> Tried<()> {
    let of_people: Vec<_> = placed
        .iter()
        .filter(|(_, event)| event.has_receipt())
        .collect();
    if of_people.is_empty() {
        return Ok(());
    }
    let games: Vec<i64> = of_people.iter().map(|(id, _)| *id).collect();
    let actors: Vec<String> = of_people.iter().map(|(_, e)| actor_word(e.actor)).collect();
    let keys: Vec<&str> = of_people.iter().map(|(_, e)| e.key.as_str()).collect();
    let seqs: Vec<i64> = of_people
        .iter()
        .map(|(_, e)| e.seq.0.cast_signed())
        .collect();
    sqlx::query(
        "INSERT INTO receipts (game, actor, key, seq) \
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])",
    )
    .bind(games)
    .bind(actors)
    .bind(keys)
    .bind(seqs)
    .execute(writer)
    .await?;
    Ok(())
}

/// Writes seals that are not there; what is there, or was forgotten, stays as it is.
async fn insert_seals(writer: &mut PgConnection, seals: &[&SealBytes]) -> Tried<()> {
    if seals.is_empty() {
        return Ok(());
    }
    let digests: Vec<&[u8]> = seals.iter().map(|s| s.digest.0.as_slice()).collect();
    let salts: Vec<&[u8]> = seals.iter().map(|s| s.salt.as_slice()).collect();
    let bytes: Vec<&[u8]> = seals.iter().map(|s| s.bytes.as_slice()).collect();
    sqlx::query(
        "INSERT INTO seals (digest, salt, bytes) \
         SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) ON CONFLICT (digest) DO NOTHING",
    )
    .bind(digests)
    .bind(salts)
    .bind(bytes)
    .execute(writer)
    .await?;
    Ok(())
}
