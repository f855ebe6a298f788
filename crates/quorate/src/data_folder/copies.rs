//! Copies of a database: everything in it as a data folder, which goes wherever a folder goes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use quorate_runtime::ports::{Backup, Journal, StoreError, carry};
use quorate_store::{Store, StoreOptions, copy_secret};
use quorate_store_postgres::PostgresStore;
use tempfile::TempDir;
use tokio::runtime::Handle;

/// Whoever copies a database.
#[derive(Clone)]
pub(crate) struct DatabaseBackup {
    pub(super) database: Arc<PostgresStore>,
    /// The folder of the secret that goes with it.
    pub(super) secret: PathBuf,
}

/// Everything that was in a database at one moment. It goes with the value.
pub(crate) struct DatabaseCopy {
    /// What was in it.
    pub(crate) store: Store,
    _folder: TempDir,
}

impl DatabaseBackup {
    /// Copies everything into a folder in `scratch`.
    ///
    /// # Errors
    /// Fails where there is no room, and where the database cannot be read.
    pub(crate) async fn copy(&self, scratch: &Path) -> Result<DatabaseCopy, StoreError> {
        let failed = |error: std::io::Error| StoreError::Failed {
            cause: format!("{}: {error}", scratch.display()).into(),
        };
        let folder = tempfile::Builder::new()
            .prefix(".quorate-")
            .tempdir_in(scratch)
            .map_err(failed)?;
        let data = folder.path().join("data");
        copy_secret(&self.secret, &data)?;
        let store = Store::open(&data, StoreOptions::default()).await?;
        let taken = carry(&*self.database, &store).await?;
        if let Some(table) = taken.left_behind.keys().next() {
            let cause = format!("a folder has no place for the table {table}");
            return Err(StoreError::Failed {
                cause: cause.into(),
            });
        }
        if let Some(beat) = self.database.last_beat().await? {
            store.beat(beat).await?;
        }
        Ok(DatabaseCopy {
            store,
            _folder: folder,
        })
    }
}

#[async_trait]
impl Backup for DatabaseBackup {
    async fn back_up(&self, scratch: &Path, out: &File) -> Result<(), StoreError> {
        let (this, place, here) = (self.clone(), scratch.to_owned(), Handle::current());
        let copied = tokio::task::spawn_blocking(move || here.block_on(this.copy(&place)));
        let copy = copied.await.map_err(|error| StoreError::Failed {
            cause: error.to_string().into(),
        })??;
        Backup::back_up(&copy.store, scratch, out).await
    }
}
