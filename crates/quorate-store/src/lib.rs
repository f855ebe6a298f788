//! Where games are kept: one SQLite file.
//!
//! A data folder holds the file, a lock and the server's secret. One process at a time owns it; others may read. The
//! file is in WAL mode with full sync: what an append has acknowledged survives the loss of power. There is one
//! connection that writes, and a few that read and never wait for it.

mod accounts;
mod append;
mod convert;
mod error;
mod file;
mod folder;
mod journal;
mod known_seals;
mod outbox;
mod seals;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use quorate_runtime::ports::{ServerSecret, StoreError};
use sqlx::sqlite::{SqliteConnection, SqlitePool};
use tokio::sync::{Mutex, MutexGuard};

use error::Explain;
pub use file::StoreOptions;
use folder::Folder;
use known_seals::KnownSeals;

/// The store of a server.
pub struct Store {
    readers: SqlitePool,
    /// None where the store was opened to read only.
    writer: Option<Mutex<SqliteConnection>>,
    lease: u64,
    secret: Option<ServerSecret>,
    known_seals: KnownSeals,
    /// After a sync that failed nobody knows what the disk holds, and a second try may lie.
    sync_failed: AtomicBool,
    folder: Folder,
}

impl Store {
    /// Opens the store of a data folder to read and write, making what is not there yet.
    ///
    /// Takes the lock of the folder and the next lease. A file of an earlier release is brought up to date.
    pub async fn open(folder: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let folder = Folder::own(folder)?;
        let secret = folder.secret()?;
        let mut writer = file::open_to_write(&folder, options).await?;
        let lease = file::next_lease(&mut writer).await?;
        Ok(Self {
            readers: file::readers(&folder).await?,
            writer: Some(Mutex::new(writer)),
            lease,
            secret: Some(secret),
            known_seals: KnownSeals::default(),
            sync_failed: AtomicBool::new(false),
            folder,
        })
    }

    /// Opens the store of a data folder to read only, also while another process owns it or where nothing can be
    /// written.
    pub async fn open_read_only(folder: &Path) -> Result<Self, StoreError> {
        let folder = Folder::look(folder);
        Ok(Self {
            readers: file::open_to_read(&folder).await?,
            writer: None,
            lease: 0,
            secret: folder.secret_if_there()?,
            known_seals: KnownSeals::default(),
            sync_failed: AtomicBool::new(false),
            folder,
        })
    }

    /// The server's secret; none where the store was opened to read only and this user may not know it.
    pub fn secret(&self) -> Option<ServerSecret> {
        self.secret.clone()
    }

    /// Looks through the whole file for damage. Takes as long as reading it.
    pub async fn check(&self) -> Result<(), StoreError> {
        let lines: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(20)")
            .fetch_all(&self.readers)
            .await
            .explain()?;
        if lines == ["ok"] {
            return Ok(());
        }
        Err(StoreError::Damaged {
            what: lines.join("; ").into(),
        })
    }

    /// Copies everything into a new data folder, as it is at this moment, while the server goes on.
    pub async fn back_up(&self, into: &Path) -> Result<(), StoreError> {
        let copy = self.folder.copy_to(into)?;
        sqlx::query("VACUUM INTO ?")
            .bind(copy)
            .execute(&self.readers)
            .await
            .explain()?;
        Ok(())
    }

    /// Lets the file go. What was written is on disk already; this only tidies up beside it.
    pub async fn close(self) {
        self.readers.close().await;
        if let Some(writer) = self.writer {
            file::close(writer.into_inner()).await;
        }
    }

    /// The connection that writes.
    async fn writer(&self) -> Result<MutexGuard<'_, SqliteConnection>, StoreError> {
        if self.sync_failed.load(Ordering::Relaxed) {
            return Err(StoreError::SyncFailed);
        }
        let writer = self.writer.as_ref().ok_or_else(|| StoreError::ReadOnly {
            what: "a store that was opened to read only".into(),
        })?;
        Ok(writer.lock().await)
    }

    /// Remembers a failed sync.
    fn mind(&self, error: StoreError) -> StoreError {
        if error == StoreError::SyncFailed {
            self.sync_failed.store(true, Ordering::Relaxed);
        }
        error
    }
}
