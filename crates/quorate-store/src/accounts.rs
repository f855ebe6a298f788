//! Who uses the server.

mod rows;

use std::collections::BTreeMap;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Accounts, Invitation, NewAccount, Recovery, RestraintKind,
    Seat, Session, ShownUpTo, StoreError, Token,
};
use sqlx::error::DatabaseError;
use sqlx::query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteConnection, SqliteRow};

use crate::Store;
use crate::convert;
use crate::error::{Explain, one};
use crate::remembered::{Seated, SignedIn};

type Result<T> = std::result::Result<T, AccountError>;
pub(crate) type Query<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;
pub(crate) type ReadRow<T> = fn(&SqliteRow) -> std::result::Result<T, StoreError>;

/// An account, and when its session ends.
fn signed_in(row: &SqliteRow) -> std::result::Result<(Account, Moment), StoreError> {
    Ok((rows::account(row)?, convert::moment(row, "ends_at")?))
}

impl Store {
    /// Writes, and gives how many rows that changed.
    pub(crate) async fn write(&self, statement: Query<'_>) -> Result<u64> {
        let mut writer = self.writer().await?;
        let done = statement.execute(&mut *writer).await;
        writer.is_done();
        Ok(done.map_err(clash)?.rows_affected())
    }

    pub(crate) async fn first<T>(
        &self,
        question: Query<'_>,
        read: ReadRow<T>,
    ) -> Result<Option<T>> {
        let row = question.fetch_optional(&self.readers).await;
        Ok(row.explain()?.as_ref().map(read).transpose()?)
    }

    pub(crate) async fn all<T>(&self, question: Query<'_>, read: ReadRow<T>) -> Result<Vec<T>> {
        let rows = question.fetch_all(&self.readers).await.explain()?;
        let all: std::result::Result<_, StoreError> = rows.iter().map(read).collect();
        Ok(all?)
    }
}

#[async_trait]
impl Accounts for Store {
    async fn make(&self, account: &NewAccount) -> Result<AccountId> {
        insert(&mut *self.writer().await?, account).await
    }

    async fn account(&self, id: AccountId) -> Result<Option<Account>> {
        let found = query("SELECT * FROM accounts WHERE id = ?").bind(number(id));
        self.first(found, rows::account).await
    }

    async fn account_by_name(&self, name: &str) -> Result<Option<Account>> {
        let found = query("SELECT * FROM accounts WHERE name_key = ?").bind(name.to_lowercase());
        self.first(found, rows::account).await
    }

    async fn account_by_mail(&self, mail: &str) -> Result<Option<Account>> {
        let found = query("SELECT * FROM accounts WHERE mail_key = ?").bind(mail.to_lowercase());
        self.first(found, rows::account).await
    }

    async fn accounts(&self) -> Result<Vec<Account>> {
        let all = query("SELECT * FROM accounts ORDER BY id");
        self.all(all, rows::account).await
    }

    async fn change(&self, account: &Account) -> Result<()> {
        let changed = query(
            "UPDATE accounts SET name = ?, name_key = ?, mail = ?, mail_key = ?, password = ?, \
             operator = ? WHERE id = ?",
        )
        .bind(&account.name)
        .bind(account.name.to_lowercase())
        .bind(&account.mail)
        .bind(account.mail.as_ref().map(|mail| mail.to_lowercase()))
        .bind(&account.password)
        .bind(account.operator)
        .bind(number(account.id));
        there(self.write(changed).await?)
    }

    async fn erase(&self, id: AccountId) -> Result<()> {
        let erased = query("DELETE FROM accounts WHERE id = ?").bind(number(id));
        let erased = self.write(erased).await?;
        // The old pages are overwritten in the file, and gone from what is written ahead of it.
        self.write(query("PRAGMA wal_checkpoint(TRUNCATE)")).await?;
        there(erased)
    }

    async fn begin_session(&self, session: &Session) -> Result<()> {
        let begun =
            query("INSERT INTO sessions (digest, account, began_at, ends_at) VALUES (?, ?, ?, ?)")
                .bind(session.digest.0.to_vec())
                .bind(number(session.account))
                .bind(session.began_at.0)
                .bind(session.ends_at.0);
        self.write(begun).await.map(drop)
    }

    async fn account_of_session(&self, digest: Digest, now: Moment) -> Result<Option<Account>> {
        let turn = self.turn();
        if let Some(known) = self.remembered.session(turn, digest, now) {
            return Ok(Some(known));
        }
        let found = query(
            "SELECT accounts.*, sessions.ends_at FROM sessions JOIN accounts ON accounts.id = sessions.account \
             WHERE sessions.digest = ?1 AND sessions.ends_at > ?2 AND NOT EXISTS \
             (SELECT 1 FROM restraints WHERE account = accounts.id AND kind = ?3 \
              AND (until IS NULL OR until > ?2))",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .bind(RestraintKind::Suspended.word());
        let Some((account, until)) = self.first(found, signed_in).await? else {
            return Ok(None);
        };
        let known = SignedIn {
            account: account.clone(),
            from: now,
            until,
        };
        self.remembered.note_session(turn, digest, known);
        Ok(Some(account))
    }

    async fn sessions_of(&self, id: AccountId, now: Moment) -> Result<Vec<Session>> {
        let all = query(
            "SELECT * FROM sessions WHERE account = ? AND ends_at > ? ORDER BY began_at, digest",
        );
        self.all(all.bind(number(id)).bind(now.0), rows::session)
            .await
    }

    async fn end_session(&self, digest: Digest) -> Result<()> {
        let ended = query("DELETE FROM sessions WHERE digest = ?").bind(digest.0.to_vec());
        self.write(ended).await.map(drop)
    }

    async fn make_token(&self, token: &Token) -> Result<()> {
        let made = query(
            "INSERT INTO tokens (digest, account, label, scopes, game, made_at, ends_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(token.digest.0.to_vec())
        .bind(number(token.account))
        .bind(&token.label)
        .bind(token.scopes.to_string())
        .bind(token.game.as_ref().map(GameId::as_str))
        .bind(token.made_at.0)
        .bind(token.ends_at.map(|at| at.0));
        self.write(made).await.map(drop)
    }

    async fn token(&self, digest: Digest, now: Moment) -> Result<Option<Token>> {
        let found = query(
            "SELECT * FROM tokens WHERE digest = ?1 AND (ends_at IS NULL OR ends_at > ?2) \
             AND NOT EXISTS (SELECT 1 FROM restraints WHERE account = tokens.account AND kind = ?3 \
             AND (until IS NULL OR until > ?2))",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .bind(RestraintKind::Suspended.word());
        self.first(found, rows::token).await
    }

    async fn tokens_of(&self, id: AccountId) -> Result<Vec<Token>> {
        let all = query("SELECT * FROM tokens WHERE account = ? ORDER BY made_at, rowid");
        self.all(all.bind(number(id)), rows::token).await
    }

    async fn revoke_token(&self, digest: Digest) -> Result<()> {
        let revoked = query("DELETE FROM tokens WHERE digest = ?").bind(digest.0.to_vec());
        self.write(revoked).await.map(drop)
    }

    async fn invite(&self, invitation: &Invitation) -> Result<()> {
        let invited = query(
            "INSERT INTO invitations (digest, made_by, game, uses_left, ends_at) \
             VALUES (?, ?, ?, ?, ?)",
        )
        .bind(invitation.digest.0.to_vec())
        .bind(invitation.made_by.map(number))
        .bind(invitation.game.as_ref().map(GameId::as_str))
        .bind(i64::from(invitation.uses_left))
        .bind(invitation.ends_at.0);
        self.write(invited).await.map(drop)
    }

    async fn invitation(&self, digest: Digest, now: Moment) -> Result<Option<Invitation>> {
        let found =
            query("SELECT * FROM invitations WHERE digest = ? AND ends_at > ? AND uses_left > 0");
        self.first(found.bind(digest.0.to_vec()).bind(now.0), rows::invitation)
            .await
    }

    async fn make_recovery(&self, recovery: &Recovery) -> Result<()> {
        let made = query("INSERT INTO recoveries (digest, account, ends_at) VALUES (?, ?, ?)")
            .bind(recovery.digest.0.to_vec())
            .bind(number(recovery.account))
            .bind(recovery.ends_at.0);
        self.write(made).await.map(drop)
    }

    async fn recovery(&self, digest: Digest, now: Moment) -> Result<Option<AccountId>> {
        let found = query("SELECT account FROM recoveries WHERE digest = ? AND ends_at > ?");
        self.first(found.bind(digest.0.to_vec()).bind(now.0), rows::recovery)
            .await
    }

    async fn use_recovery(&self, digest: Digest, now: Moment) -> Result<Option<AccountId>> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        let account: Option<i64> = sqlx::query_scalar(
            "DELETE FROM recoveries WHERE digest = ? AND ends_at > ? RETURNING account",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .fetch_optional(&mut *writer)
        .await
        .explain()?;
        if let Some(account) = account {
            let others = query("DELETE FROM recoveries WHERE account = ?").bind(account);
            others.execute(&mut *writer).await.explain()?;
        }
        writer.commit().await.map_err(|e| self.mind(e))?;
        Ok(account.map(|id| AccountId(id.unsigned_abs())))
    }

    async fn take_seat(&self, seat: &Seat) -> Result<()> {
        let taken = query("INSERT INTO seats (game, player, account) VALUES (?, ?, ?)")
            .bind(seat.game.as_str())
            .bind(seat.player.to_string())
            .bind(number(seat.account));
        self.write(taken).await.map(drop)
    }

    async fn leave_seat(&self, game: &GameId, player: PlayerId) -> Result<()> {
        let left = query("DELETE FROM seats WHERE game = ? AND player = ?");
        let left = left.bind(game.as_str()).bind(player.to_string());
        self.write(left).await.map(drop)
    }

    async fn seat(&self, id: AccountId, game: &GameId) -> Result<Option<PlayerId>> {
        let (turn, of) = (self.turn(), (id, game.clone()));
        if let Some(Seated(known)) = self.remembered.seat(turn, &of) {
            return Ok(known);
        }
        let found = query("SELECT player FROM seats WHERE account = ? AND game = ?");
        let found = found.bind(number(id)).bind(game.as_str());
        let seat = self.first(found, |row| convert::word(row, "player"));
        let seat = seat.await?;
        self.remembered.note_seat(turn, of, Seated(seat));
        Ok(seat)
    }

    async fn seats_of(&self, id: AccountId) -> Result<Vec<Seat>> {
        let all = query("SELECT * FROM seats WHERE account = ? ORDER BY game").bind(number(id));
        self.all(all, rows::seat).await
    }

    async fn seats_in(&self, game: &GameId) -> Result<Vec<Seat>> {
        let all = query("SELECT * FROM seats WHERE game = ?").bind(game.as_str());
        let mut seats = self.all(all, rows::seat).await?;
        // As texts, player 10 would come before player 2.
        seats.sort_by_key(|seat| seat.player);
        Ok(seats)
    }

    async fn messages_read(&self, id: AccountId, game: &GameId) -> Result<ShownUpTo> {
        let (turn, of) = (self.turn(), (id, game.clone()));
        if let Some(known) = self.remembered.shown(turn, &of) {
            return Ok(known);
        }
        let all = query("SELECT circle, up_to FROM letters_read WHERE account = ? AND game = ?");
        let all = all.bind(number(id)).bind(game.as_str());
        let shown: BTreeMap<_, _> = self.all(all, rows::read_up_to).await?.into_iter().collect();
        let shown = ShownUpTo::from(shown);
        self.remembered.note_shown(turn, of, shown.clone());
        Ok(shown)
    }

    async fn note_messages_read(
        &self,
        id: AccountId,
        game: &GameId,
        conversation: &str,
        up_to: EventSeq,
    ) -> Result<()> {
        let noted = query(
            "INSERT INTO letters_read (account, game, circle, up_to) VALUES (?, ?, ?, ?) \
             ON CONFLICT DO UPDATE SET up_to = max(up_to, excluded.up_to)",
        )
        .bind(number(id))
        .bind(game.as_str())
        .bind(conversation)
        .bind(up_to.0.cast_signed());
        self.write(noted).await.map(drop)
    }

    async fn sweep(&self, now: Moment) -> Result<()> {
        for ended in [
            "DELETE FROM sessions WHERE ends_at <= ?",
            "DELETE FROM tokens WHERE ends_at <= ?",
            "DELETE FROM invitations WHERE ends_at <= ? OR uses_left = 0",
            "DELETE FROM recoveries WHERE ends_at <= ?",
        ] {
            self.write(query(ended).bind(now.0)).await?;
        }
        Ok(())
    }
}

/// Writes a new account.
pub(crate) async fn insert(
    writer: &mut SqliteConnection,
    account: &NewAccount,
) -> Result<AccountId> {
    let made = sqlx::query_scalar(
        "INSERT INTO accounts (name, name_key, mail, mail_key, password, operator, made_at) \
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(&account.name)
    .bind(account.name.to_lowercase())
    .bind(&account.mail)
    .bind(account.mail.as_ref().map(|mail| mail.to_lowercase()))
    .bind(&account.password)
    .bind(account.operator)
    .bind(account.made_at.0);
    let id: i64 = one(made.fetch_all(writer).await).map_err(clash)?;
    Ok(AccountId(id.unsigned_abs()))
}

/// The number of an account, as a column holds it.
pub(crate) fn number(id: AccountId) -> i64 {
    id.0.cast_signed()
}

fn there(row_count: u64) -> Result<()> {
    match row_count {
        0 => Err(AccountError::NoAccount),
        _ => Ok(()),
    }
}

/// Which uniqueness a write met, by the column that SQLite names.
pub(crate) fn clash(error: sqlx::Error) -> AccountError {
    let database = error.as_database_error();
    let column = database.filter(|e| e.is_unique_violation());
    let column = column.map_or("", DatabaseError::message);
    if column.contains("name_key") {
        return AccountError::NameTaken;
    }
    if column.contains("mail_key") {
        return AccountError::MailTaken;
    }
    if column.contains("outside_ways") || column.contains("passkeys") {
        return AccountError::WayTaken;
    }
    if column.contains("seats") {
        return AccountError::SeatTaken;
    }
    if database.is_some_and(DatabaseError::is_foreign_key_violation) {
        return AccountError::NoAccount;
    }
    crate::error::store_error(&error).into()
}
