//! The one connection that writes.

use std::ops::{Deref, DerefMut};

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

/// The connection that writes, in the hands of one at a time.
pub(crate) struct WriteTurn<'a>(MutexGuard<'a, WriteConnection>);

impl<'a> WriteTurn<'a> {
    /// Takes it over, with nothing of those before in the way.
    pub(crate) async fn after(writer: MutexGuard<'a, WriteConnection>) -> Result<Self, StoreError> {
        let mut writing = Self(writer);
        writing.0.tidy().await?;
        Ok(writing)
    }

    /// Begins a transaction. Whoever lets go without [`WriteTurn::commit`] has done nothing.
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        self.0.is_begun = true;
        let begun = query("BEGIN IMMEDIATE").execute(&mut **self).await;
        begun.explain().map(drop)
    }

    /// Ends it: when this returns, all of it is on disk.
    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        query("COMMIT").execute(&mut **self).await.explain()?;
        self.0.is_begun = false;
        Ok(())
    }

    /// How many events the store holds.
    pub(crate) fn event_count(&mut self) -> &mut u64 {
        &mut self.0.event_count
    }
}

impl Deref for WriteTurn<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.0.connection
    }
}

impl DerefMut for WriteTurn<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.0.connection
    }
}
