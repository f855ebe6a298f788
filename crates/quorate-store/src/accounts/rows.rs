//! Rows of the tables of accounts.

use quorate_kernel::{EventSeq, Moment};
use quorate_runtime::ports::{Account, AccountId, Invitation, Seat, Session, StoreError, Token};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, StoreError>;

pub(super) fn account(row: &SqliteRow) -> Result<Account> {
    Ok(Account {
        id: account_id(row, "id")?,
        name: row.try_get("name").explain()?,
        mail: row.try_get("mail").explain()?,
        password: row.try_get("password").explain()?,
        operator: row.try_get("operator").explain()?,
        made_at: convert::moment(row, "made_at")?,
    })
}

/// An account, and when its session ends.
pub(super) fn signed_in(row: &SqliteRow) -> Result<(Account, Moment)> {
    Ok((account(row)?, convert::moment(row, "ends_at")?))
}

fn account_id(row: &SqliteRow, column: &str) -> Result<AccountId> {
    let id: i64 = row.try_get(column).explain()?;
    Ok(AccountId(id.unsigned_abs()))
}

pub(super) fn session(row: &SqliteRow) -> Result<Session> {
    Ok(Session {
        digest: convert::digest(row, "digest")?,
        account: account_id(row, "account")?,
        began_at: convert::moment(row, "began_at")?,
        ends_at: convert::moment(row, "ends_at")?,
    })
}

pub(super) fn token(row: &SqliteRow) -> Result<Token> {
    Ok(Token {
        digest: convert::digest(row, "digest")?,
        account: account_id(row, "account")?,
        label: row.try_get("label").explain()?,
        scopes: convert::word(row, "scopes")?,
        game: convert::optional_word(row, "game")?,
        made_at: convert::moment(row, "made_at")?,
        ends_at: convert::optional_moment(row, "ends_at")?,
    })
}

pub(super) fn invitation(row: &SqliteRow) -> Result<Invitation> {
    let made_by: Option<i64> = row.try_get("made_by").explain()?;
    let game: Option<&str> = row.try_get("game").explain()?;
    Ok(Invitation {
        digest: convert::digest(row, "digest")?,
        made_by: made_by.map(|id| AccountId(id.unsigned_abs())),
        game: match game {
            Some(_) => Some(convert::word(row, "game")?),
            None => None,
        },
        uses_left: row.try_get("uses_left").explain()?,
        ends_at: convert::moment(row, "ends_at")?,
    })
}

pub(super) fn seat(row: &SqliteRow) -> Result<Seat> {
    Ok(Seat {
        game: convert::word(row, "game")?,
        player: convert::word(row, "player")?,
        account: account_id(row, "account")?,
    })
}

/// A conversation, and the newest event whose messages were shown.
pub(super) fn read_up_to(row: &SqliteRow) -> Result<(String, EventSeq)> {
    let up_to = convert::seq(row.try_get("up_to").explain()?);
    Ok((row.try_get("circle").explain()?, up_to))
}
