//! The one connection that writes.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use quorate_runtime::ports::StoreError;
use sqlx::query;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::MutexGuard;

use crate::error::{self, Explain};

/// The connection that writes, and what it left open.
pub(crate) struct WriteConnection {
    connection: SqliteConnection,
    /// Whether a transaction was begun and not ended, as when its statement failed or nobody waits for it any more.
    is_begun: bool,
    /// How many events the store holds.
    event_count: u64,
}

impl WriteConnection {
    pub(crate) fn new(connection: SqliteConnection, event_count: u64) -> Self {
        Self {
            connection,
            is_begun: false,
            event_count,
        }
    }

    pub(crate) fn into_connection(self) -> SqliteConnection {
        self.connection
    }

    /// Takes back what was begun and not ended, so that the next one who writes finds nothing of it.
    async fn tidy(&mut self) -> Result<(), StoreError> {
        if !self.is_begun {
            return Ok(());
        }
        match query("ROLLBACK").execute(&mut self.connection).await {
            Ok(_) => {}
            // SQLite has taken it back by itself, as it does where the disk is full.
            Err(error) if error::is_misuse(&error) => {}
            Err(error) => return Err(error).explain(),
        }
        self.is_begun = false;
        Ok(())
    }
}

/// How often somebody has written what may be remembered: odd while somebody does. A statement whose sender left before it
/// ended may still come, so it stays odd until a later one has ended: the connection does them in their order.
#[derive(Default)]
pub(crate) struct WriteCount(AtomicU64);

impl WriteCount {
    /// How often somebody has written; none while somebody does.
    pub(crate) fn now(&self) -> Option<u64> {
        let count = self.0.load(Ordering::SeqCst);
        count.is_multiple_of(2).then_some(count)
    }

    /// Somebody is about to write.
    fn open(&self) {
        self.0.fetch_or(1, Ordering::SeqCst);
    }

    /// All that anybody sent is done.
    fn close(&self) {
        if self.now().is_none() {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// The connection that writes, in the hands of one at a time.
pub(crate) struct WriteTurn<'a> {
    writer: MutexGuard<'a, WriteConnection>,
    count: &'a WriteCount,
}

impl<'a> WriteTurn<'a> {
    /// Takes it over, with nothing of those before in the way.
    pub(crate) async fn after(
        writer: MutexGuard<'a, WriteConnection>,
        count: &'a WriteCount,
    ) -> Result<Self, StoreError> {
        let mut writing = Self { writer, count };
        writing.writer.tidy().await?;
        Ok(writing)
    }

    /// Says that something is to be written that may be remembered.
    pub(crate) fn of_what_is_remembered(self) -> Self {
        self.count.open();
        self
    }

    /// Says that the last statement has ended, well or not.
    pub(crate) fn is_done(&self) {
        self.count.close();
    }

    /// Begins a transaction. Whoever lets go without [`WriteTurn::commit`] has done nothing.
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        self.writer.is_begun = true;
        let begun = query("BEGIN IMMEDIATE").execute(&mut **self).await;
        begun.explain().map(drop)
    }

    /// Ends it: when this returns, all of it is on disk.
    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        query("COMMIT").execute(&mut **self).await.explain()?;
        self.writer.is_begun = false;
        self.is_done();
        Ok(())
    }

    /// How many events the store holds.
    pub(crate) fn event_count(&mut self) -> &mut u64 {
        &mut self.writer.event_count
    }
}

impl Deref for WriteTurn<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.writer.connection
    }
}

impl DerefMut for WriteTurn<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.writer.connection
    }
}
