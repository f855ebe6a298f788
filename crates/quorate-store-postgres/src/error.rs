//! What PostgreSQL says, in the words of the ports.

use quorate_runtime::ports::StoreError;
use sqlx::error::ErrorKind;

/// What the database answers, in its own words.
pub(crate) type Queried<T> = Result<T, sqlx::Error>;

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

/// The code of an error of the database's own, as its documentation lists them.
pub(crate) fn code_of(error: &sqlx::Error) -> Option<String> {
    Some(error.as_database_error()?.code()?.into_owned())
}

/// How a database went away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Away {
    /// The connection ended, or leads to one that takes no writes.
    Broken,
    /// No answer came in time, which may also be a crowd.
    Silent,
}

/// Whether an error means that the database is to be looked for.
pub(crate) fn away(error: &sqlx::Error) -> Option<Away> {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Some(Away::Broken),
        sqlx::Error::PoolTimedOut => Some(Away::Silent),
        error => {
            let code = code_of(error)?;
            // Connections that fail, servers that end or start, standbys.
            let is_gone = code.starts_with("08") || code.starts_with("57P0") || code == "25006";
            // A newer release changed the tables: statements that were prepared before do not fit any more.
            let is_broken = is_gone || code == "0A000";
            // Too many connections, locks that a dead owner still holds, a node that stood still.
            let is_silent = matches!(code.as_str(), "53300" | "55P03" | "57014" | "25P03");
            match (is_broken, is_silent) {
                (true, _) => Some(Away::Broken),
                (false, true) => Some(Away::Silent),
                (false, false) => None,
            }
        }
    }
}

/// The error of the ports that says what one of sqlx means.
pub(crate) fn store_error(error: &sqlx::Error) -> StoreError {
    // The cause is logged here once; people are told what it means for them.
    tracing::debug!(%error, "the database said no");
    match code_of(error).as_deref() {
        Some("53100") => StoreError::Full,
        Some("25006") => StoreError::ReadOnly {
            what: "the database".into(),
        },
        Some("XX001" | "XX002") => StoreError::Damaged {
            what: error.to_string().into(),
        },
        _ => StoreError::Failed {
            cause: error.to_string().into(),
        },
    }
}

/// Which uniqueness a write met, by the name of its constraint.
pub(crate) fn constraint(error: &sqlx::Error) -> Option<(ErrorKind, String)> {
    let error = error.as_database_error()?;
    Some((
        error.kind(),
        error.constraint().unwrap_or_default().to_owned(),
    ))
}
