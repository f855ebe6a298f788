//! Appending: events of several games in one statement, and what becomes of one that nobody answered.

use std::time::Duration;

use quorate_kernel::record;
use quorate_kernel::seal::SealBytes;
use quorate_runtime::judge::Head;
use quorate_runtime::ports::{Batch, StoreError, Stored, actor_word};
use sqlx::postgres::PgPool;

use crate::PostgresStore;
use crate::database::DatabaseFailure;
use crate::error::{code_of, store_error};

/// How long an append whose end is not known is followed up before its senders are told that nobody knows.
const SETTLE_WITHIN: Duration = Duration::from_secs(20);

/// The whole append as one statement, and so one way to the database and back.
///
/// Its batches are the rows of `wanted`. What is not held under the lease that its batch names, or does not end where the
/// batch begins, has no row in `placed`; then the division fails, and the statement with all that it wrote.
const APPEND: &str = "\
    WITH wanted AS ( \
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[], \
                             $7::bigint[], $8::bigint[], $9::boolean[], $10::bytea[]) WITH ORDINALITY \
            AS row (word, epoch, after_seq, after_hash, seq, hash, at, next_due, whole, secret, nth) \
    ), held AS ( \
        SELECT wanted.* FROM wanted JOIN leases ON leases.game = wanted.word \
            WHERE leases.epoch = wanted.epoch AND leases.node IS NOT NULL \
            ORDER BY leases.game FOR KEY SHARE OF leases \
    ), founded AS ( \
        INSERT INTO games (word, whole, head_seq, head_hash, head_at, next_due, secret) \
            SELECT word, whole, seq, hash, at, next_due, secret FROM held WHERE after_seq IS NULL \
            ON CONFLICT (word) DO NOTHING RETURNING id, word \
    ), moved AS ( \
        UPDATE games SET head_seq = held.seq, head_hash = held.hash, head_at = held.at, next_due = held.next_due \
            FROM held WHERE games.word = held.word \
                AND games.head_seq = held.after_seq AND games.head_hash = held.after_hash \
            RETURNING games.id, games.word \
    ), placed AS ( \
        SELECT it.id, wanted.nth FROM (SELECT * FROM founded UNION ALL SELECT * FROM moved) AS it \
            JOIN wanted ON wanted.word = it.word \
    ), written AS ( \
        INSERT INTO events (game, seq, open) SELECT placed.id, event.seq, event.open \
            FROM unnest($11::bigint[], $12::bigint[], $13::bytea[]) AS event (nth, seq, open) \
            JOIN placed ON placed.nth = event.nth \
    ), receipted AS ( \
        INSERT INTO receipts (game, actor, key, seq) SELECT placed.id, receipt.actor, receipt.key, receipt.seq \
            FROM unnest($14::bigint[], $15::text[], $16::text[], $17::bigint[]) AS receipt (nth, actor, key, seq) \
            JOIN placed ON placed.nth = receipt.nth \
    ), sealed AS ( \
        INSERT INTO seals (digest, salt, bytes) SELECT * FROM unnest($18::bytea[], $19::bytea[], $20::bytea[]) \
            ON CONFLICT (digest) DO NOTHING \
    ) \
    SELECT 1 / (count(*) = cardinality($1::text[]))::int FROM placed";

/// The code of the division that fails where a batch does not fit.
const MISFIT: &str = "22012";

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
            let fresh = &fresh;
            let tried = self
                .database
                .once(|pool| async move { try_append(&pool, batches, fresh).await });
            match tried.await {
                Ok(()) => {
                    self.known_seals.note(fresh);
                    return Ok(());
                }
                Err(DatabaseFailure::Said(error)) if code_of(&error).as_deref() == Some(MISFIT) => {
                    return Err(self.misfit(batches).await?);
                }
                Err(DatabaseFailure::Said(error)) => return Err(store_error(&error)),
                Err(DatabaseFailure::Gone(how)) => {
                    tracing::warn!("the database went away during an append, which is looked into");
                    self.database.find(turn, how).await;
                    // Another host may lack what this one wrote without waiting for it.
                    self.known_seals.clear();
                    match self.is_there(batches).await {
                        Ok(true) => return Ok(()),
                        Ok(false) => {}
                        Err(error) => {
                            tracing::warn!(%error, "what became of an append is not known");
                            return Err(StoreError::InDoubt);
                        }
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

    /// Which batch does not fit, and why.
    async fn misfit(&self, batches: &[Batch]) -> Result<StoreError, StoreError> {
        let words: Vec<&str> = batches.iter().map(|batch| batch.game.as_str()).collect();
        let words = &words;
        let (leases, heads) = self
            .database
            .ask(|pool| async move {
                let leases: Vec<(String, i64)> = sqlx::query_as(
                    "SELECT game, epoch FROM leases WHERE game = ANY($1) AND node IS NOT NULL",
                )
                .bind(words)
                .fetch_all(&pool)
                .await?;
                let heads: Vec<(String, i64, Vec<u8>)> = sqlx::query_as(
                    "SELECT word, head_seq, head_hash FROM games WHERE word = ANY($1)",
                )
                .bind(words)
                .fetch_all(&pool)
                .await?;
                Ok((leases, heads))
            })
            .await?;
        let misfit = batches.iter().find_map(|batch| {
            let game = batch.game.clone();
            let word = game.as_str();
            let epoch = batch.epoch.0.cast_signed();
            if !leases
                .iter()
                .any(|it| (it.0.as_str(), it.1) == (word, epoch))
            {
                return Some(StoreError::GameTaken { game });
            }
            let head = heads.iter().find(|(theirs, ..)| theirs == word);
            match head {
                Some(_) if batch.after == Head::START => Some(StoreError::GameExists { game }),
                None if batch.after == Head::START => None,
                None => Some(StoreError::NoGame { game }),
                Some((_, seq, hash)) => (*seq != batch.after.seq.0.cast_signed()
                    || *hash != batch.after.hash.0)
                    .then_some(StoreError::HeadMoved { game }),
            }
        });
        Ok(misfit.unwrap_or_else(|| StoreError::Failed {
            cause: "a log grew and shrank while it was written to; try again".into(),
        }))
    }
}

/// Writes all batches or none.
async fn try_append(
    pool: &PgPool,
    batches: &[Batch],
    fresh: &[&SealBytes],
) -> Result<(), sqlx::Error> {
    let grown = |batch: &Batch| (batch.after != Head::START).then_some(batch.after);
    let secret = |batch: &Batch| batch.arrival.as_ref().and_then(|arrival| arrival.secret);
    let (mut nths, mut seqs, mut opens) = (Vec::new(), Vec::new(), Vec::new());
    let mut receipts = Receipts::default();
    for (batch, nth) in batches.iter().zip(1_i64..) {
        for event in &batch.events {
            nths.push(nth);
            seqs.push(event.seq.0.cast_signed());
            opens.push(event.open.as_slice());
            if event.has_receipt() {
                receipts.note(nth, event);
            }
        }
    }
    sqlx::query(APPEND)
        .bind(column(batches, |it| it.game.as_str()))
        .bind(column(batches, |it| it.epoch.0.cast_signed()))
        .bind(column(batches, |it| {
            grown(it).map(|after| after.seq.0.cast_signed())
        }))
        .bind(column(batches, |it| {
            grown(it).map(|after| after.hash.0.to_vec())
        }))
        .bind(column(batches, |it| it.head.seq.0.cast_signed()))
        .bind(column(batches, |it| it.head.hash.0.to_vec()))
        .bind(column(batches, |it| it.head.at.0))
        .bind(column(batches, |it| it.next_due.map(|at| at.0)))
        .bind(column(batches, |it| it.arrival.is_none()))
        .bind(column(batches, |it| {
            secret(it).map(|secret| secret.to_vec())
        }))
        .bind(nths)
        .bind(seqs)
        .bind(opens)
        .bind(receipts.nths)
        .bind(receipts.actors)
        .bind(receipts.keys)
        .bind(receipts.seqs)
        .bind(column(fresh, |seal| seal.digest.0.as_slice()))
        .bind(column(fresh, |seal| seal.salt.as_slice()))
        .bind(column(fresh, |seal| seal.bytes.as_slice()))
        .execute(pool)
        .await?;
    Ok(())
}

/// One column of the rows that a statement takes.
fn column<'a, R, T>(rows: &'a [R], of: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}

/// The keys under which people find their events again, by column.
#[derive(Default)]
struct Receipts<'a> {
    nths: Vec<i64>,
    actors: Vec<String>,
    keys: Vec<&'a str>,
    seqs: Vec<i64>,
}

impl<'a> Receipts<'a> {
    fn note(&mut self, nth: i64, event: &'a Stored) {
        self.nths.push(nth);
        self.actors.push(actor_word(event.actor));
        self.keys.push(event.key.as_str());
        self.seqs.push(event.seq.0.cast_signed());
    }
}
