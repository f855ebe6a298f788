//! Rows of the tables of accounts.

use quorate_kernel::EventSeq;
use quorate_runtime::ports::{Account, AccountId, Invitation, Seat, Session, StoreError, Token};
use sqlx::Row;

use crate::convert;
use crate::error::Explain;
use crate::row::StoredRow;

type Result<T> = std::result::Result<T, StoreError>;

pub(super) fn account(row: &StoredRow) -> Result<Account> {
    Ok(Account {
        id: account_id(row, "id")?,
        name: row.try_get("name").explain()?,
        mail: row.try_get("mail").explain()?,
        password: row.try_get("password").explain()?,
        operator: row.try_get("operator").explain()?,
        made_at: convert::moment(row, "made_at")?,
    })
}

fn account_id(row: &StoredRow, column: &str) -> Result<AccountId> {
    let id: i64 = row.try_get(column).explain()?;
    Ok(AccountId(id.unsigned_abs()))
}

pub(super) fn session(row: &StoredRow) -> Result<Session> {
    Ok(Session {
        digest: convert::digest(row, "digest")?,
        account: account_id(row, "account")?,
        began_at: convert::moment(row, "began_at")?,
        ends_at: convert::moment(row, "ends_at")?,
    })
}

pub(super) fn token(row: &StoredRow) -> Result<Token> {
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

pub(super) fn recovery(row: &StoredRow) -> Result<AccountId> {
    account_id(row, "account")
}

pub(super) fn invitation(row: &StoredRow) -> Result<Invitation> {
    let made_by: Option<i64> = row.try_get("made_by").explain()?;
    let uses_left: i64 = row.try_get("uses_left").explain()?;
    Ok(Invitation {
        digest: convert::digest(row, "digest")?,
        made_by: made_by.map(|id| AccountId(id.unsigned_abs())),
        game: convert::optional_word(row, "game")?,
        uses_left: u32::try_from(uses_left).unwrap_or(0),
        ends_at: convert::moment(row, "ends_at")?,
    })
}

pub(super) fn seat(row: &StoredRow) -> Result<Seat> {
    Ok(Seat {
        game: convert::word(row, "game")?,
        player: convert::word(row, "player")?,
        account: account_id(row, "account")?,
    })
}

/// A conversation, and the newest event whose messages were shown.
pub(super) fn read_up_to(row: &StoredRow) -> Result<(String, EventSeq)> {
    let up_to = convert::seq(row.try_get("up_to").explain()?);
    Ok((row.try_get("circle").explain()?, up_to))
}
