//! Between the kernel's types and the columns of both stores: their rows are of two types that share no trait which says so.

use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment};
use quorate_runtime::judge::Head;
use quorate_runtime::ports::{GameRow, StoreError};
use sqlx::Row;

use crate::error::Explain;
use crate::row::StoredRow;

pub(crate) fn seq(column: i64) -> EventSeq {
    EventSeq(column.unsigned_abs())
}

/// Bytes of a fixed length, which anything else than damage leaves as they were written.
pub(crate) fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], StoreError> {
    bytes.try_into().map_err(|_| StoreError::Damaged {
        what: format!("{} bytes where {N} were written", bytes.len()).into(),
    })
}

pub(crate) fn digest(row: &StoredRow, column: &str) -> Result<Digest, StoreError> {
    let bytes: &[u8] = row.try_get(column).explain()?;
    array(bytes).map(Digest)
}

pub(crate) fn moment(row: &StoredRow, column: &str) -> Result<Moment, StoreError> {
    row.try_get(column).explain().map(Moment)
}

pub(crate) fn optional_moment(row: &StoredRow, column: &str) -> Result<Option<Moment>, StoreError> {
    let column: Option<i64> = row.try_get(column).explain()?;
    Ok(column.map(Moment))
}

/// A text that was written from a value and so reads back as one.
pub(crate) fn word<T: std::str::FromStr>(row: &StoredRow, column: &str) -> Result<T, StoreError> {
    let text: &str = row.try_get(column).explain()?;
    text.parse().map_err(|_| StoreError::Damaged {
        what: format!("\"{text}\" in the column {column}").into(),
    })
}

/// The same of a column that may be empty.
pub(crate) fn optional_word<T: std::str::FromStr>(
    row: &StoredRow,
    column: &str,
) -> Result<Option<T>, StoreError> {
    let text: Option<&str> = row.try_get(column).explain()?;
    text.map(|_| word(row, column)).transpose()
}

pub(crate) fn game_row(row: &StoredRow) -> Result<GameRow, StoreError> {
    let secret: Option<&[u8]> = row.try_get("secret").explain()?;
    Ok(GameRow {
        game: word::<GameId>(row, "word")?,
        head: Head {
            seq: seq(row.try_get("head_seq").explain()?),
            hash: digest(row, "head_hash")?,
            at: moment(row, "head_at")?,
        },
        next_due: optional_moment(row, "next_due")?,
        secret: secret.map(array).transpose()?,
        whole: row.try_get("whole").explain()?,
    })
}
