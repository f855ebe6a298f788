//! How many events were kept, in a file of its own.
//!
//! SQLite reads what it wrote ahead of its file up to the first thing that does not fit, and takes the rest for never
//! written. So a `quorate.db-wal` that was removed or damaged is no error to it, and what stood there is gone without a word.
//! This count stands elsewhere and is written after each append, so that whoever opens the store next can tell.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use quorate_runtime::ports::StoreError;

use crate::error::of_file;

/// The count as it is written: of one length, so that a later one covers an earlier one.
const DIGITS: usize = 20;

/// The file with the count.
pub(crate) struct EventCount {
    path: PathBuf,
    file: File,
    /// Whether the last count could not be written, which was said once.
    has_failed: AtomicBool,
}

impl EventCount {
    /// Opens it to write.
    pub(crate) fn own(path: PathBuf) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(&path).map_err(|e| of_file(&e, &path))?;
        Ok(Self {
            path,
            file,
            has_failed: AtomicBool::new(false),
        })
    }

    /// Notes how many events there are. It is not synced: after a loss of power it may name fewer than there are, which is no
    /// fault.
    pub(crate) fn note(&self, event_count: u64) {
        let line = format!("{event_count:0DIGITS$}\n");
        let written = self.file.write_all_at(line.as_bytes(), 0);
        let failed = written.is_err();
        if let (Err(error), false) = (written, self.has_failed.load(Ordering::Relaxed)) {
            let file = self.path.display();
            tracing::warn!(%file, %error, "the count of events could not be written");
        }
        self.has_failed.store(failed, Ordering::Relaxed);
    }
}

/// What the file says; nothing where there is none or nobody can read it.
pub(crate) fn noted(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Whether the store holds what was kept.
pub(crate) fn check(path: &Path, noted: Option<u64>, event_count: u64) -> Result<(), StoreError> {
    match noted {
        Some(noted) if noted > event_count => Err(StoreError::Lost {
            event_count: noted - event_count,
            tally: path.display().to_string().into(),
        }),
        _ => Ok(()),
    }
}
