//! Who uses the server.

mod access;
mod letters;
mod seats;

use std::collections::BTreeMap;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Accounts, Invitation, NewAccount, Recovery, Seat, Session,
    StoreError, Token,
};
use sqlx::Row;
use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteRow;

use crate::Store;
use crate::convert;
use crate::error::Told;

type Result<T> = std::result::Result<T, AccountError>;

#[async_trait]
impl Accounts for Store {
    async fn make(&self, account: &NewAccount) -> Result<AccountId> {
        let mut writer = self.writer().await?;
        let id: i64 = sqlx::query_scalar(
            "INSERT INTO accounts (name, name_key, mail, mail_key, password, operator, made_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(&account.name)
        .bind(account.name.to_lowercase())
        .bind(&account.mail)
        .bind(account.mail.as_ref().map(|mail| mail.to_lowercase()))
        .bind(&account.password)
        .bind(account.operator)
        .bind(account.made_at.0)
        .fetch_one(&mut *writer)
        .await
        .map_err(clash)?;
        Ok(AccountId(id.unsigned_abs()))
    }

    async fn account(&self, id: AccountId) -> Result<Option<Account>> {
        let row = sqlx::query("SELECT * FROM accounts WHERE id = ?").bind(number(id));
        let row = row.fetch_optional(&self.readers).await.told()?;
        Ok(row.as_ref().map(account).transpose()?)
    }

    async fn account_by_name(&self, name: &str) -> Result<Option<Account>> {
        let row =
            sqlx::query("SELECT * FROM accounts WHERE name_key = ?").bind(name.to_lowercase());
        let row = row.fetch_optional(&self.readers).await.told()?;
        Ok(row.as_ref().map(account).transpose()?)
    }

    async fn account_by_mail(&self, mail: &str) -> Result<Option<Account>> {
        let row =
            sqlx::query("SELECT * FROM accounts WHERE mail_key = ?").bind(mail.to_lowercase());
        let row = row.fetch_optional(&self.readers).await.told()?;
        Ok(row.as_ref().map(account).transpose()?)
    }

    async fn accounts(&self) -> Result<Vec<Account>> {
        let rows = sqlx::query("SELECT * FROM accounts ORDER BY id");
        let rows = rows.fetch_all(&self.readers).await.told()?;
        Ok(rows
            .iter()
            .map(account)
            .collect::<std::result::Result<_, _>>()?)
    }

    async fn change(&self, account: &Account) -> Result<()> {
        let mut writer = self.writer().await?;
        let changed = sqlx::query(
            "UPDATE accounts SET name = ?, name_key = ?, mail = ?, mail_key = ?, password = ?, \
             operator = ? WHERE id = ?",
        )
        .bind(&account.name)
        .bind(account.name.to_lowercase())
        .bind(&account.mail)
        .bind(account.mail.as_ref().map(|mail| mail.to_lowercase()))
        .bind(&account.password)
        .bind(account.operator)
        .bind(number(account.id))
        .execute(&mut *writer)
        .await
        .map_err(clash)?;
        there(changed.rows_affected())
    }

    async fn erase(&self, id: AccountId) -> Result<()> {
        let mut writer = self.writer().await?;
        let erased = sqlx::query("DELETE FROM accounts WHERE id = ?").bind(number(id));
        let erased = erased.execute(&mut *writer).await.told()?;
        // The old pages are overwritten in the file, and gone from what is written ahead of it.
        let tidied = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)");
        tidied.execute(&mut *writer).await.told()?;
        there(erased.rows_affected())
    }

    async fn begin_session(&self, session: &Session) -> Result<()> {
        self.insert_session(session).await
    }

    async fn account_of_session(&self, digest: Digest, now: Moment) -> Result<Option<Account>> {
        self.find_account_of_session(digest, now).await
    }

    async fn sessions_of(&self, id: AccountId, now: Moment) -> Result<Vec<Session>> {
        self.list_sessions(id, now).await
    }

    async fn end_session(&self, digest: Digest) -> Result<()> {
        self.drop_one("DELETE FROM sessions WHERE digest = ?", digest)
            .await
    }

    async fn end_sessions_of(&self, id: AccountId) -> Result<()> {
        self.drop_of("DELETE FROM sessions WHERE account = ?", id)
            .await
    }

    async fn make_token(&self, token: &Token) -> Result<()> {
        self.insert_token(token).await
    }

    async fn token(&self, digest: Digest, now: Moment) -> Result<Option<Token>> {
        self.find_token(digest, now).await
    }

    async fn tokens_of(&self, id: AccountId) -> Result<Vec<Token>> {
        self.list_tokens(id).await
    }

    async fn revoke_token(&self, digest: Digest) -> Result<()> {
        self.drop_one("DELETE FROM tokens WHERE digest = ?", digest)
            .await
    }

    async fn invite(&self, invitation: &Invitation) -> Result<()> {
        self.insert_invitation(invitation).await
    }

    async fn invitation(&self, digest: Digest, now: Moment) -> Result<Option<Invitation>> {
        self.find_invitation(digest, now).await
    }

    async fn use_invitation(&self, digest: Digest, now: Moment) -> Result<bool> {
        self.count_invitation_down(digest, now).await
    }

    async fn make_recovery(&self, recovery: &Recovery) -> Result<()> {
        self.insert_recovery(recovery).await
    }

    async fn use_recovery(&self, digest: Digest, now: Moment) -> Result<Option<AccountId>> {
        self.take_recovery(digest, now).await
    }

    async fn take_seat(&self, seat: &Seat) -> Result<()> {
        self.insert_seat(seat).await
    }

    async fn leave_seat(&self, game: &GameId, player: PlayerId) -> Result<()> {
        self.drop_seat(game, player).await
    }

    async fn seat(&self, id: AccountId, game: &GameId) -> Result<Option<PlayerId>> {
        self.find_seat(id, game).await
    }

    async fn seats_of(&self, id: AccountId) -> Result<Vec<Seat>> {
        self.list_seats_of(id).await
    }

    async fn seats_in(&self, game: &GameId) -> Result<Vec<Seat>> {
        self.list_seats_in(game).await
    }

    async fn letters_read(
        &self,
        id: AccountId,
        game: &GameId,
    ) -> Result<BTreeMap<String, EventSeq>> {
        self.list_letters_read(id, game).await
    }

    async fn read_letters(
        &self,
        id: AccountId,
        game: &GameId,
        circle: &str,
        up_to: EventSeq,
    ) -> Result<()> {
        self.note_letters_read(id, game, circle, up_to).await
    }

    async fn sweep(&self, now: Moment) -> Result<()> {
        let mut writer = self.writer().await?;
        for ended in [
            "DELETE FROM sessions WHERE ends_at <= ?",
            "DELETE FROM tokens WHERE ends_at <= ?",
            "DELETE FROM invitations WHERE ends_at <= ? OR uses_left = 0",
            "DELETE FROM recoveries WHERE ends_at <= ?",
        ] {
            let swept = sqlx::query(ended).bind(now.0);
            swept.execute(&mut *writer).await.told()?;
        }
        Ok(())
    }
}

fn account(row: &SqliteRow) -> std::result::Result<Account, StoreError> {
    Ok(Account {
        id: account_id(row, "id")?,
        name: row.try_get("name").told()?,
        mail: row.try_get("mail").told()?,
        password: row.try_get("password").told()?,
        operator: row.try_get("operator").told()?,
        made_at: convert::moment(row, "made_at")?,
    })
}

fn account_id(row: &SqliteRow, column: &str) -> std::result::Result<AccountId, StoreError> {
    let id: i64 = row.try_get(column).told()?;
    Ok(AccountId(id.unsigned_abs()))
}

fn number(id: AccountId) -> i64 {
    id.0.cast_signed()
}

fn there(row_count: u64) -> Result<()> {
    match row_count {
        0 => Err(AccountError::NoAccount),
        _ => Ok(()),
    }
}

/// Which uniqueness a write met, by the column that SQLite names.
fn clash(error: sqlx::Error) -> AccountError {
    let database = error.as_database_error();
    let column = database.filter(|e| e.is_unique_violation());
    let column = column.map_or("", DatabaseError::message);
    if column.contains("name_key") {
        return AccountError::NameTaken;
    }
    if column.contains("mail_key") {
        return AccountError::MailTaken;
    }
    if column.contains("seats") {
        return AccountError::SeatTaken;
    }
    if database.is_some_and(DatabaseError::is_foreign_key_violation) {
        return AccountError::NoAccount;
    }
    match Err::<(), _>(error).told() {
        Err(error) => error.into(),
        Ok(()) => AccountError::NoAccount,
    }
}
