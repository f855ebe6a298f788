//! What SQLite says, in the words of the ports.

use quorate_runtime::ports::StoreError;

/// SQLite's result codes, as its documentation numbers them. The low byte is the kind.
mod code {
    pub(super) const ERROR: u32 = 1;
    pub(super) const READ_ONLY: u32 = 8;
    pub(super) const IO: u32 = 10;
    pub(super) const CORRUPT: u32 = 11;
    pub(super) const FULL: u32 = 13;
    pub(super) const CANNOT_OPEN: u32 = 14;
    pub(super) const NOT_A_DATABASE: u32 = 26;
    /// No room for the notes beside a file in WAL mode, which are made anew where nobody had it open.
    pub(super) const NO_ROOM_BESIDE: u32 = IO | 19 << 8;
    /// Syncing a file, and syncing its folder.
    pub(super) const SYNC: [u32; 2] = [IO | 4 << 8, IO | 5 << 8];
}

/// Says a result of sqlx in the words of the ports.
pub(crate) trait Explain<T> {
    /// The same result.
    fn explain(self) -> Result<T, StoreError>;
}

impl<T> Explain<T> for Result<T, sqlx::Error> {
    fn explain(self) -> Result<T, StoreError> {
        self.map_err(|error| store_error(&error))
    }
}

/// The error of the ports that says what one of sqlx means.
pub(crate) fn store_error(error: &sqlx::Error) -> StoreError {
    // The cause is logged here once; people are told what it means for them.
    tracing::debug!(%error, "the store said no");
    let failed = || StoreError::Failed {
        cause: error.to_string().into(),
    };
    let what = || error.to_string().into();
    let Some(code) = code_of(error) else {
        return match error {
            sqlx::Error::Io(cause) if cause.kind() == std::io::ErrorKind::StorageFull => {
                StoreError::Full
            }
            _ => failed(),
        };
    };
    if code::SYNC.contains(&code) {
        return StoreError::SyncFailed;
    }
    if code == code::NO_ROOM_BESIDE {
        return StoreError::Full;
    }
    match code & 0xff {
        code::FULL => StoreError::Full,
        code::READ_ONLY | code::CANNOT_OPEN => StoreError::ReadOnly {
            what: "the file of the store".into(),
        },
        code::CORRUPT => StoreError::Damaged { what: what() },
        code::NOT_A_DATABASE => StoreError::Foreign {
            what: "the file of the store".into(),
        },
        _ => failed(),
    }
}

/// The one row of a statement that writes and is no part of a transaction.
///
/// All its rows are asked for, for only behind the last of them SQLite commits: whoever leaves after the first is never told
/// that the disk did not take it.
pub(crate) fn one<T>(rows: Result<Vec<T>, sqlx::Error>) -> Result<T, sqlx::Error> {
    rows?.pop().ok_or(sqlx::Error::RowNotFound)
}

/// Whether a statement makes no sense where it stands, as the end of a transaction that is none.
pub(crate) fn is_misuse(error: &sqlx::Error) -> bool {
    code_of(error) == Some(code::ERROR)
}

fn code_of(error: &sqlx::Error) -> Option<u32> {
    error.as_database_error()?.code()?.parse().ok()
}

/// What an operation on a file of the data folder met.
pub(crate) fn of_file(error: &std::io::Error, path: &std::path::Path) -> StoreError {
    use std::io::ErrorKind;
    let what = path.display().to_string();
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { what: what.into() }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Failed {
            cause: format!("{what}: {error}").into(),
        },
    }
}
