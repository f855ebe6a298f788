//! Where games are kept: one SQLite file.
//!
//! A data folder holds the file, a lock, the server's secret and a count of the events. One process at a time owns it; others may read. The
//! file is in WAL mode with full sync: what an append has acknowledged survives the loss of power. There is one
//! connection that writes, and a few that read and never wait for it.

mod accounts;
mod append;
mod archives;
mod backup;
mod convert;
mod drafts;
mod error;
mod file;
mod folder;
mod journal;
mod migrations;
mod moderation;
mod outbox;
mod passkeys;
mod place;
mod remembered;
mod row;
mod safety;
mod seals;
mod search;
mod secret;
mod tally;
mod uploads;
mod whole;
mod writer;

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use quorate_runtime::known_seals::KnownSeals;
use quorate_runtime::old_events::OldEvents;
use quorate_runtime::ports::{ServerSecret, StoreError};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqlitePool;
use tokio::sync::Mutex;

pub use backup::unpack;
use error::Explain;
pub use file::StoreOptions;
use folder::Folder;
use remembered::Remembered;
use tally::EventCount;
use writer::{WriteConnection, WriteCount, WriteTurn};

/// The secret in a folder, made now if there is none. The folder need not hold a store: nodes that share a database keep
/// their secret in one.
pub fn secret_in(folder: &Path) -> Result<ServerSecret, StoreError> {
    let folder = Folder::of_secret(folder)?;
    match folder.secret_if_there()? {
        Some(secret) => Ok(secret),
        None => folder.make_secret(),
    }
}

/// Copies the secret of one folder into another, which is made if it is not there and has none yet or the same.
pub fn copy_secret(from: &Path, to: &Path) -> Result<(), StoreError> {
    Folder::of_secret(to)?.adopt_secret(&Folder::look(from))
}

/// The store of a server.
pub struct Store {
    readers: SqlitePool,
    /// Where the store was opened to read only, why nothing is written.
    writer: Result<Mutex<WriteConnection>, StoreError>,
    /// None where the store was opened to read only.
    tally: Option<EventCount>,
    lease: u64,
    secret: Option<ServerSecret>,
    known_seals: KnownSeals,
    /// Where old events lie, if this process was told.
    old_events: OnceLock<OldEvents>,
    write_count: WriteCount,
    remembered: Remembered,
    /// After a sync that failed nobody knows what the disk holds of what was just written. A second try may lie, so everything
    /// that was kept is written and synced anew first.
    sync_failed: AtomicBool,
    folder: Folder,
}

impl Store {
    /// Opens the store of a data folder to read and write, making what is not there yet.
    ///
    /// Takes the lock of the folder and the next lease. A file of an earlier release is brought up to date.
    pub async fn open(folder: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let folder = Folder::own(folder)?;
        let mut writer = file::open_to_write(&folder, options).await?;
        let noted = tally::noted(&folder.count());
        let event_count = file::event_count(&mut writer).await?;
        tally::check(&folder.count(), noted, event_count)?;
        let secret = secret::owned(&folder, &mut writer, options.takes_new_secret).await?;
        let lease = file::next_lease(&mut writer).await?;
        let tally = EventCount::own(folder.count())?;
        tally.note(event_count);
        Ok(Self {
            readers: file::readers(&folder).await?,
            writer: Ok(Mutex::new(WriteConnection::new(writer, event_count))),
            tally: Some(tally),
            lease,
            secret: Some(secret),
            known_seals: KnownSeals::default(),
            old_events: OnceLock::new(),
            write_count: WriteCount::default(),
            remembered: Remembered::default(),
            sync_failed: AtomicBool::new(false),
            folder,
        })
    }

    /// Opens the store of a data folder to read only, also while another process owns it or where nothing can be
    /// written.
    pub async fn open_read_only(folder: &Path) -> Result<Self, StoreError> {
        let folder = Folder::look(folder);
        // Read before the file, for both grow while another process appends.
        let noted = tally::noted(&folder.count());
        let readers = file::open_to_read(&folder).await?;
        tally::check(&folder.count(), noted, file::event_count(&readers).await?)?;
        let known = secret::mark(&readers).await?;
        Ok(Self {
            readers,
            writer: Err(StoreError::ReadOnly {
                what: "a store that was opened to read only".into(),
            }),
            tally: None,
            lease: 0,
            secret: secret::read(&folder, known)?,
            known_seals: KnownSeals::default(),
            old_events: OnceLock::new(),
            write_count: WriteCount::default(),
            remembered: Remembered::default(),
            sync_failed: AtomicBool::new(false),
            folder,
        })
    }

    /// The same store, which was opened to read only for that reason: whoever wants to write is told so.
    #[must_use]
    pub fn read_only_because(mut self, why: StoreError) -> Self {
        if self.writer.is_err() {
            self.writer = Err(why);
        }
        self
    }

    /// The server's secret; none where the store was opened to read only and it is not there, or is another server's, or this
    /// user may not know it.
    pub fn secret(&self) -> Option<ServerSecret> {
        self.secret.clone()
    }

    /// Looks through the whole file for damage. Takes as long as reading it.
    pub async fn check(&self) -> Result<(), StoreError> {
        // A connection of its own: one that has searched before may look for the index of words where it lay then, and report
        // damage where there is none.
        let mut fresh = self.readers.connect_options().connect().await.explain()?;
        let lines: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(20)")
            .fetch_all(&mut fresh)
            .await
            .explain()?;
        if lines == ["ok"] {
            return Ok(());
        }
        Err(StoreError::Damaged {
            what: lines.join("; ").into(),
        })
    }

    /// Puts what was written ahead of the file into it, so that the file alone holds everything.
    ///
    /// # Errors
    /// Fails where the disk does. Nothing is lost then: it stays ahead of the file.
    pub async fn settle(&self) -> Result<(), StoreError> {
        if self.writer.is_err() {
            return Ok(());
        }
        file::settle(&mut *self.writer().await?).await
    }

    /// Lets the file go. What was written is on disk already; this only tidies up beside it.
    pub async fn close(self) {
        self.readers.close().await;
        if let Ok(writer) = self.writer {
            file::close(writer.into_inner().into_connection()).await;
        }
    }

    /// The connection that writes.
    async fn writer(&self) -> Result<WriteTurn<'_>, StoreError> {
        Ok(self.log_writer().await?.of_what_is_remembered())
    }

    /// The same for events, seals, notices and the index of words, which leave accounts, seats and what was shown as they are.
    async fn log_writer(&self) -> Result<WriteTurn<'_>, StoreError> {
        let writer = self.writer.as_ref().map_err(Clone::clone)?;
        let mut writer = WriteTurn::after(writer.lock().await, &self.write_count).await?;
        if self.sync_failed.load(Ordering::Relaxed) {
            file::settle_whole(&mut writer).await?;
            tracing::warn!("the disk syncs again, and everything that was kept is on it");
            self.sync_failed.store(false, Ordering::Relaxed);
        }
        Ok(writer)
    }

    /// How often somebody has written what may be remembered; none while somebody does, and where another process may.
    fn turn(&self) -> Option<u64> {
        self.writer.as_ref().ok()?;
        self.write_count.now()
    }

    fn note_count(&self, event_count: u64) {
        if let Some(tally) = &self.tally {
            tally.note(event_count);
        }
    }

    /// Remembers a failed sync.
    fn mind(&self, error: StoreError) -> StoreError {
        if error == StoreError::SyncFailed {
            self.sync_failed.store(true, Ordering::Relaxed);
        }
        error
    }
}
