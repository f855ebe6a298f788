//! The data folder: the file, the lock, the secret, the count of events.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quorate_runtime::ports::{ServerSecret, StoreError};

use crate::error::of_file;

/// The SQLite file.
pub(crate) const FILE: &str = "quorate.db";
/// The file whose lock says that a process owns the folder. It goes with the process, however that ends.
const LOCK: &str = "lock";
/// How many events were kept.
const COUNT: &str = "count";
/// The server's secret.
pub(crate) const SECRET: &str = "secret";

/// A data folder.
pub(crate) struct Folder {
    path: PathBuf,
    /// Held as long as this process owns the folder.
    lock: Option<File>,
}

impl Folder {
    /// Owns a folder, made if it is not there, as long as the value lives.
    pub(crate) fn own(path: &Path) -> Result<Self, StoreError> {
        // What is in it concerns nobody but the server's own user.
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|e| of_file(&e, path))?;
        let lock_path = path.join(LOCK);
        let lock = private().create(true).truncate(false).open(&lock_path);
        let lock = lock.map_err(|e| of_file(&e, &lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                lock: Some(lock),
            }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Taken {
                folder: path.display().to_string().into(),
            }),
            Err(TryLockError::Error(error)) => Err(of_file(&error, &lock_path)),
        }
    }

    /// A folder, made if it is not there, of which several processes use no more than the secret.
    pub(crate) fn of_secret(path: &Path) -> Result<Self, StoreError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|e| of_file(&e, path))?;
        Ok(Self::look(path))
    }

    /// Puts the secret of another folder here, where there is none or the same.
    pub(crate) fn adopt_secret(&self, from: &Self) -> Result<(), StoreError> {
        let path = self.path.join(SECRET);
        let theirs = fs::read(from.path.join(SECRET)).map_err(|e| of_file(&e, &from.path))?;
        match fs::read(&path) {
            Ok(ours) if ours == theirs => Ok(()),
            Ok(_) => Err(StoreError::OtherSecret {
                folder: self.name(),
            }),
            Err(e) if e.kind() == ErrorKind::NotFound => {
                write_private(&path, &theirs).map_err(|e| of_file(&e, &path))?;
                self.sync()
            }
            Err(e) => Err(of_file(&e, &path)),
        }
    }

    /// A folder that this process does not own.
    pub(crate) fn look(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            lock: None,
        }
    }

    /// The SQLite file.
    pub(crate) fn file(&self) -> PathBuf {
        self.path.join(FILE)
    }

    /// Where a new SQLite file is made, to be renamed when it is whole.
    pub(crate) fn unborn_file(&self) -> PathBuf {
        self.path.join(format!("{FILE}.new"))
    }

    /// What SQLite writes ahead of the file.
    pub(crate) fn written_ahead(&self) -> PathBuf {
        self.path.join(format!("{FILE}-wal"))
    }

    /// The folder, as errors name it.
    pub(crate) fn name(&self) -> Arc<str> {
        self.path.display().to_string().into()
    }

    /// The file with the count of events.
    pub(crate) fn count(&self) -> PathBuf {
        self.path.join(COUNT)
    }

    /// Makes a new secret.
    pub(crate) fn make_secret(&self) -> Result<ServerSecret, StoreError> {
        let mut bytes = [0; 32];
        draw(&mut bytes)?;
        // Written beside and renamed, so that a secret is whole or not there.
        let (path, unborn) = (
            self.path.join(SECRET),
            self.path.join(format!("{SECRET}.new")),
        );
        write_private(&unborn, &bytes).map_err(|e| of_file(&e, &unborn))?;
        fs::rename(&unborn, &path).map_err(|e| of_file(&e, &path))?;
        self.sync()?;
        Ok(ServerSecret::new(bytes))
    }

    /// The server's secret; none where there is none or this user may not read it.
    pub(crate) fn secret_if_there(&self) -> Result<Option<ServerSecret>, StoreError> {
        let path = self.path.join(SECRET);
        let mut bytes = Vec::new();
        match File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) if e.kind() == ErrorKind::PermissionDenied && self.lock.is_none() => {
                return Ok(None);
            }
            Err(e) => return Err(of_file(&e, &path)),
        }
        let secret = bytes.try_into().map_err(|bytes: Vec<u8>| {
            let what = format!("{} has {} bytes, not 32", path.display(), bytes.len());
            StoreError::Damaged { what: what.into() }
        })?;
        Ok(Some(ServerSecret::new(secret)))
    }

    /// The bytes of the secret, for a copy.
    pub(crate) fn secret_bytes(&self) -> Result<Vec<u8>, StoreError> {
        let path = self.path.join(SECRET);
        fs::read(&path).map_err(|e| of_file(&e, &path))
    }

    /// Makes sure that names given in the folder are on disk.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        sync_folder(&self.path)
    }
}

/// Makes sure that names given in a folder are on disk.
pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = File::open(path).and_then(|folder| folder.sync_all());
    folder.map_err(|e| of_file(&e, path))
}

/// A file for the server's own user alone, to be opened to write.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

/// Writes such a file, and sees that it is on disk.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = private().create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the server's one secret, drawn once in the life of a data folder"
)]
fn draw(bytes: &mut [u8]) -> Result<(), StoreError> {
    getrandom::fill(bytes).map_err(|error| StoreError::Failed {
        cause: format!("the machine gives no random bytes: {error}").into(),
    })
}
