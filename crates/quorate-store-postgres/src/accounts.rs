//! Who uses the site.

#[path = "../../quorate-store/src/accounts/rows.rs"]
mod rows;

use std::collections::BTreeMap;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, PlayerId};
use quorate_runtime::ports::{
    Account, AccountError, AccountId, Accounts, Invitation, NewAccount, Recovery, RestraintKind,
    Seat, Session, ShownUpTo, StoreError, Token,
};
use sqlx::error::ErrorKind;
use sqlx::postgres::{PgArguments, PgPool, PgRow};
use sqlx::{Postgres, query};

use crate::PostgresStore;
use crate::convert;
use crate::database::{DatabaseFailure, FIND_WITHIN};
use crate::error::{constraint, store_error};

type Result<T> = std::result::Result<T, AccountError>;
pub(crate) type Query<'q> = sqlx::query::Query<'q, Postgres, PgArguments>;
pub(crate) type ReadRow<T> = fn(&PgRow) -> std::result::Result<T, StoreError>;

impl PostgresStore {
    /// Does something once, for a second time might say otherwise. Where the database went away it is found again
    /// before anybody is told.
    pub(crate) async fn once<T, F>(&self, what: impl FnOnce(PgPool) -> F) -> Result<T>
    where
        F: Future<Output = std::result::Result<T, sqlx::Error>>,
    {
        let turn = self.database.turn();
        match self.database.once(what).await {
            Ok(value) => Ok(value),
            Err(DatabaseFailure::Said(error)) => Err(clash(&error)),
            Err(DatabaseFailure::Gone(how)) => {
                let found = self.database.find(turn, how);
                // Whether it was found is what the next one who asks learns.
                drop(tokio::time::timeout(FIND_WITHIN, found).await);
                Err(self.database.lost().into())
            }
        }
    }

    /// Writes, and gives how many rows that changed.
    pub(crate) async fn write(&self, statement: Query<'_>) -> Result<u64> {
        let done = self.once(|pool| async move { statement.execute(&pool).await });
        Ok(done.await?.rows_affected())
    }

    pub(crate) async fn first<T>(
        &self,
        question: Query<'_>,
        read: ReadRow<T>,
    ) -> Result<Option<T>> {
        let row = self.once(|pool| async move { question.fetch_optional(&pool).await });
        Ok(row.await?.as_ref().map(read).transpose()?)
    }

    pub(crate) async fn all<T>(&self, question: Query<'_>, read: ReadRow<T>) -> Result<Vec<T>> {
        let rows = self.once(|pool| async move { question.fetch_all(&pool).await });
        let all: std::result::Result<_, StoreError> = rows.await?.iter().map(read).collect();
        Ok(all?)
    }
}

#[async_trait]
impl Accounts for PostgresStore {
    async fn make(&self, account: &NewAccount) -> Result<AccountId> {
        let made = |pool: PgPool| async move { inserted(account).fetch_one(&pool).await };
        let id: i64 = self.once(made).await?;
        Ok(AccountId(id.unsigned_abs()))
    }

    async fn account(&self, id: AccountId) -> Result<Option<Account>> {
        let found = query("SELECT * FROM accounts WHERE id = $1").bind(number(id));
        self.first(found, rows::account).await
    }

    async fn account_by_name(&self, name: &str) -> Result<Option<Account>> {
        let found = query("SELECT * FROM accounts WHERE name_key = $1").bind(name.to_lowercase());
        self.first(found, rows::account).await
    }

    async fn account_by_mail(&self, mail: &str) -> Result<Option<Account>> {
        let found = query("SELECT * FROM accounts WHERE mail_key = $1").bind(mail.to_lowercase());
        self.first(found, rows::account).await
    }

    async fn accounts(&self) -> Result<Vec<Account>> {
        let all = query("SELECT * FROM accounts ORDER BY id");
        self.all(all, rows::account).await
    }

    async fn change(&self, account: &Account) -> Result<()> {
        let changed = query(
            "UPDATE accounts SET name = $1, name_key = $2, mail = $3, mail_key = $4, password = $5, \
             operator = $6 WHERE id = $7",
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
        let erased = query("DELETE FROM accounts WHERE id = $1").bind(number(id));
        there(self.write(erased).await?)
    }

    async fn begin_session(&self, session: &Session) -> Result<()> {
        let begun = query(
            "INSERT INTO sessions (digest, account, began_at, ends_at) VALUES ($1, $2, $3, $4)",
        )
        .bind(session.digest.0.to_vec())
        .bind(number(session.account))
        .bind(session.began_at.0)
        .bind(session.ends_at.0);
        self.write(begun).await.map(drop)
    }

    async fn account_of_session(&self, digest: Digest, now: Moment) -> Result<Option<Account>> {
        let found = query(
            "SELECT accounts.* FROM sessions JOIN accounts ON accounts.id = sessions.account \
             WHERE sessions.digest = $1 AND sessions.ends_at > $2 AND NOT EXISTS \
             (SELECT 1 FROM restraints WHERE account = accounts.id AND kind = $3 \
              AND (until IS NULL OR until > $2))",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .bind(RestraintKind::Suspended.word());
        self.first(found, rows::account).await
    }

    async fn sessions_of(&self, id: AccountId, now: Moment) -> Result<Vec<Session>> {
        let all = query(
            "SELECT * FROM sessions WHERE account = $1 AND ends_at > $2 ORDER BY began_at, digest",
        );
        self.all(all.bind(number(id)).bind(now.0), rows::session)
            .await
    }

    async fn end_session(&self, digest: Digest) -> Result<()> {
        let ended = query("DELETE FROM sessions WHERE digest = $1").bind(digest.0.to_vec());
        self.write(ended).await.map(drop)
    }

    async fn make_token(&self, token: &Token) -> Result<()> {
        let made = query(
            "INSERT INTO tokens (digest, account, label, scopes, game, made_at, ends_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
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
            "SELECT * FROM tokens WHERE digest = $1 AND (ends_at IS NULL OR ends_at > $2) \
             AND NOT EXISTS (SELECT 1 FROM restraints WHERE account = tokens.account AND kind = $3 \
             AND (until IS NULL OR until > $2))",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .bind(RestraintKind::Suspended.word());
        self.first(found, rows::token).await
    }

    async fn tokens_of(&self, id: AccountId) -> Result<Vec<Token>> {
        let all = query("SELECT * FROM tokens WHERE account = $1 ORDER BY made_at, id");
        self.all(all.bind(number(id)), rows::token).await
    }

    async fn revoke_token(&self, digest: Digest) -> Result<()> {
        let revoked = query("DELETE FROM tokens WHERE digest = $1").bind(digest.0.to_vec());
        self.write(revoked).await.map(drop)
    }

    async fn invite(&self, invitation: &Invitation) -> Result<()> {
        let invited = query(
            "INSERT INTO invitations (digest, made_by, game, uses_left, ends_at) \
             VALUES ($1, $2, $3, $4, $5)",
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
            query("SELECT * FROM invitations WHERE digest = $1 AND ends_at > $2 AND uses_left > 0");
        self.first(found.bind(digest.0.to_vec()).bind(now.0), rows::invitation)
            .await
    }

    async fn make_recovery(&self, recovery: &Recovery) -> Result<()> {
        let made = query("INSERT INTO recoveries (digest, account, ends_at) VALUES ($1, $2, $3)")
            .bind(recovery.digest.0.to_vec())
            .bind(number(recovery.account))
            .bind(recovery.ends_at.0);
        self.write(made).await.map(drop)
    }

    async fn recovery(&self, digest: Digest, now: Moment) -> Result<Option<AccountId>> {
        let found = query("SELECT account FROM recoveries WHERE digest = $1 AND ends_at > $2");
        self.first(found.bind(digest.0.to_vec()).bind(now.0), rows::recovery)
            .await
    }

    async fn use_recovery(&self, digest: Digest, now: Moment) -> Result<Option<AccountId>> {
        let used = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            let account: Option<i64> = sqlx::query_scalar(
                "DELETE FROM recoveries WHERE digest = $1 AND ends_at > $2 RETURNING account",
            )
            .bind(digest.0.to_vec())
            .bind(now.0)
            .fetch_optional(&mut *transaction)
            .await?;
            if let Some(account) = account {
                let others = query("DELETE FROM recoveries WHERE account = $1").bind(account);
                others.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            Ok(account)
        };
        let account = self.once(used).await?;
        Ok(account.map(|id| AccountId(id.unsigned_abs())))
    }

    async fn take_seat(&self, seat: &Seat) -> Result<()> {
        let taken = query("INSERT INTO seats (game, player, account) VALUES ($1, $2, $3)")
            .bind(seat.game.as_str())
            .bind(seat.player.to_string())
            .bind(number(seat.account));
        self.write(taken).await.map(drop)
    }

    async fn leave_seat(&self, game: &GameId, player: PlayerId) -> Result<()> {
        let left = query("DELETE FROM seats WHERE game = $1 AND player = $2");
        let left = left.bind(game.as_str()).bind(player.to_string());
        self.write(left).await.map(drop)
    }

    async fn seat(&self, id: AccountId, game: &GameId) -> Result<Option<PlayerId>> {
        let found = query("SELECT player FROM seats WHERE account = $1 AND game = $2");
        let found = found.bind(number(id)).bind(game.as_str());
        self.first(found, |row| convert::word(row, "player")).await
    }

    async fn seats_of(&self, id: AccountId) -> Result<Vec<Seat>> {
        let all = query("SELECT * FROM seats WHERE account = $1 ORDER BY game").bind(number(id));
        self.all(all, rows::seat).await
    }

    async fn seats_in(&self, game: &GameId) -> Result<Vec<Seat>> {
        let all = query("SELECT * FROM seats WHERE game = $1").bind(game.as_str());
        let mut seats = self.all(all, rows::seat).await?;
        // As texts, player 10 would come before player 2.
        seats.sort_by_key(|seat| seat.player);
        Ok(seats)
    }

    async fn messages_read(&self, id: AccountId, game: &GameId) -> Result<ShownUpTo> {
        let all = query("SELECT circle, up_to FROM letters_read WHERE account = $1 AND game = $2");
        let all = all.bind(number(id)).bind(game.as_str());
        let shown: BTreeMap<_, _> = self.all(all, rows::read_up_to).await?.into_iter().collect();
        Ok(shown.into())
    }

    async fn note_messages_read(
        &self,
        id: AccountId,
        game: &GameId,
        conversation: &str,
        up_to: EventSeq,
    ) -> Result<()> {
        let noted = query(
            "INSERT INTO letters_read (account, game, circle, up_to) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account, game, circle) DO UPDATE \
             SET up_to = greatest(letters_read.up_to, excluded.up_to)",
        )
        .bind(number(id))
        .bind(game.as_str())
        .bind(conversation)
        .bind(up_to.0.cast_signed());
        self.write(noted).await.map(drop)
    }

    async fn sweep(&self, now: Moment) -> Result<()> {
        for ended in [
            "DELETE FROM sessions WHERE ends_at <= $1",
            "DELETE FROM tokens WHERE ends_at <= $1",
            "DELETE FROM invitations WHERE ends_at <= $1 OR uses_left = 0",
            "DELETE FROM recoveries WHERE ends_at <= $1",
        ] {
            self.write(query(ended).bind(now.0)).await?;
        }
        Ok(self.sweep_buckets().await?)
    }
}

/// Writes a new account, and gives its number.
pub(crate) fn inserted(
    account: &NewAccount,
) -> sqlx::query::QueryScalar<'_, Postgres, i64, PgArguments> {
    sqlx::query_scalar(
        "INSERT INTO accounts (name, name_key, mail, mail_key, password, operator, made_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id",
    )
    .bind(&account.name)
    .bind(account.name.to_lowercase())
    .bind(&account.mail)
    .bind(account.mail.as_ref().map(|mail| mail.to_lowercase()))
    .bind(&account.password)
    .bind(account.operator)
    .bind(account.made_at.0)
}

pub(crate) fn number(id: AccountId) -> i64 {
    id.0.cast_signed()
}

fn there(row_count: u64) -> Result<()> {
    match row_count {
        0 => Err(AccountError::NoAccount),
        _ => Ok(()),
    }
}

/// Which uniqueness a write met, by the constraint that the database names.
fn clash(error: &sqlx::Error) -> AccountError {
    match constraint(error) {
        Some((ErrorKind::UniqueViolation, name)) if name == "accounts_name_key_key" => {
            AccountError::NameTaken
        }
        Some((ErrorKind::UniqueViolation, name)) if name == "accounts_mail_key_key" => {
            AccountError::MailTaken
        }
        Some((ErrorKind::UniqueViolation, name))
            if name.starts_with("outside_ways_") || name.starts_with("passkeys_") =>
        {
            AccountError::WayTaken
        }
        Some((ErrorKind::UniqueViolation, name)) if name.starts_with("seats_") => {
            AccountError::SeatTaken
        }
        Some((ErrorKind::ForeignKeyViolation, _)) => AccountError::NoAccount,
        _ => store_error(error).into(),
    }
}
