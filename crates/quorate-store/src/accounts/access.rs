//! Sessions, tokens, invitations and links for a new password.

use quorate_kernel::Moment;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{
    Account, AccountId, Invitation, Recovery, Session, StoreError, Token,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection, Row};

use super::{Result, account, account_id, clash, number};
use crate::Store;
use crate::convert;
use crate::error::Told;

impl Store {
    pub(super) async fn insert_session(&self, session: &Session) -> Result<()> {
        let mut writer = self.writer().await?;
        sqlx::query(
            "INSERT INTO sessions (digest, account, began_at, ends_at) VALUES (?, ?, ?, ?)",
        )
        .bind(session.digest.0.to_vec())
        .bind(number(session.account))
        .bind(session.began_at.0)
        .bind(session.ends_at.0)
        .execute(&mut *writer)
        .await
        .map_err(clash)?;
        Ok(())
    }

    pub(super) async fn find_account_of_session(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<Account>> {
        let row = sqlx::query(
            "SELECT accounts.* FROM sessions JOIN accounts ON accounts.id = sessions.account \
             WHERE sessions.digest = ? AND sessions.ends_at > ?",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .fetch_optional(&self.readers)
        .await
        .told()?;
        Ok(row.as_ref().map(account).transpose()?)
    }

    pub(super) async fn list_sessions(&self, id: AccountId, now: Moment) -> Result<Vec<Session>> {
        let rows = sqlx::query(
            "SELECT * FROM sessions WHERE account = ? AND ends_at > ? ORDER BY began_at, digest",
        )
        .bind(number(id))
        .bind(now.0)
        .fetch_all(&self.readers)
        .await
        .told()?;
        let sessions: std::result::Result<_, StoreError> = rows.iter().map(session).collect();
        Ok(sessions?)
    }

    pub(super) async fn insert_token(&self, token: &Token) -> Result<()> {
        let mut writer = self.writer().await?;
        sqlx::query(
            "INSERT INTO tokens (digest, account, label, made_at, ends_at) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(token.digest.0.to_vec())
        .bind(number(token.account))
        .bind(&token.label)
        .bind(token.made_at.0)
        .bind(token.ends_at.map(|at| at.0))
        .execute(&mut *writer)
        .await
        .map_err(clash)?;
        Ok(())
    }

    pub(super) async fn find_token(&self, digest: Digest, now: Moment) -> Result<Option<Token>> {
        let row = sqlx::query(
            "SELECT * FROM tokens WHERE digest = ? AND (ends_at IS NULL OR ends_at > ?)",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .fetch_optional(&self.readers)
        .await
        .told()?;
        Ok(row.as_ref().map(token).transpose()?)
    }

    pub(super) async fn list_tokens(&self, id: AccountId) -> Result<Vec<Token>> {
        let rows = sqlx::query("SELECT * FROM tokens WHERE account = ? ORDER BY made_at, rowid")
            .bind(number(id))
            .fetch_all(&self.readers)
            .await
            .told()?;
        let tokens: std::result::Result<_, StoreError> = rows.iter().map(token).collect();
        Ok(tokens?)
    }

    pub(super) async fn insert_invitation(&self, invitation: &Invitation) -> Result<()> {
        let mut writer = self.writer().await?;
        sqlx::query(
            "INSERT INTO invitations (digest, made_by, game, uses_left, ends_at) \
             VALUES (?, ?, ?, ?, ?)",
        )
        .bind(invitation.digest.0.to_vec())
        .bind(invitation.made_by.map(number))
        .bind(
            invitation
                .game
                .as_ref()
                .map(|game| game.as_str().to_owned()),
        )
        .bind(i64::from(invitation.uses_left))
        .bind(invitation.ends_at.0)
        .execute(&mut *writer)
        .await
        .map_err(clash)?;
        Ok(())
    }

    pub(super) async fn find_invitation(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<Invitation>> {
        let row = sqlx::query(
            "SELECT * FROM invitations WHERE digest = ? AND ends_at > ? AND uses_left > 0",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .fetch_optional(&self.readers)
        .await
        .told()?;
        Ok(row.as_ref().map(invitation).transpose()?)
    }

    pub(super) async fn count_invitation_down(&self, digest: Digest, now: Moment) -> Result<bool> {
        let mut writer = self.writer().await?;
        let used = sqlx::query(
            "UPDATE invitations SET uses_left = uses_left - 1 \
             WHERE digest = ? AND ends_at > ? AND uses_left > 0",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .execute(&mut *writer)
        .await
        .told()?;
        Ok(used.rows_affected() > 0)
    }

    pub(super) async fn insert_recovery(&self, recovery: &Recovery) -> Result<()> {
        let mut writer = self.writer().await?;
        sqlx::query("INSERT INTO recoveries (digest, account, ends_at) VALUES (?, ?, ?)")
            .bind(recovery.digest.0.to_vec())
            .bind(number(recovery.account))
            .bind(recovery.ends_at.0)
            .execute(&mut *writer)
            .await
            .map_err(clash)?;
        Ok(())
    }

    pub(super) async fn take_recovery(
        &self,
        digest: Digest,
        now: Moment,
    ) -> Result<Option<AccountId>> {
        let mut writer = self.writer().await?;
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.told()?;
        let account: Option<i64> = sqlx::query_scalar(
            "DELETE FROM recoveries WHERE digest = ? AND ends_at > ? RETURNING account",
        )
        .bind(digest.0.to_vec())
        .bind(now.0)
        .fetch_optional(&mut *transaction)
        .await
        .told()?;
        if let Some(account) = account {
            let others = sqlx::query("DELETE FROM recoveries WHERE account = ?").bind(account);
            others.execute(&mut *transaction).await.told()?;
        }
        transaction.commit().await.told()?;
        Ok(account.map(|id| AccountId(id.unsigned_abs())))
    }

    pub(super) async fn drop_one(&self, statement: &'static str, digest: Digest) -> Result<()> {
        let mut writer = self.writer().await?;
        let dropped = sqlx::query(statement).bind(digest.0.to_vec());
        dropped.execute(&mut *writer).await.told()?;
        Ok(())
    }

    pub(super) async fn drop_of(&self, statement: &'static str, id: AccountId) -> Result<()> {
        let mut writer = self.writer().await?;
        let dropped = sqlx::query(statement).bind(number(id));
        dropped.execute(&mut *writer).await.told()?;
        Ok(())
    }
}

fn session(row: &SqliteRow) -> std::result::Result<Session, StoreError> {
    Ok(Session {
        digest: convert::digest(row, "digest")?,
        account: account_id(row, "account")?,
        began_at: convert::moment(row, "began_at")?,
        ends_at: convert::moment(row, "ends_at")?,
    })
}

fn token(row: &SqliteRow) -> std::result::Result<Token, StoreError> {
    Ok(Token {
        digest: convert::digest(row, "digest")?,
        account: account_id(row, "account")?,
        label: row.try_get("label").told()?,
        made_at: convert::moment(row, "made_at")?,
        ends_at: convert::optional_moment(row, "ends_at")?,
    })
}

fn invitation(row: &SqliteRow) -> std::result::Result<Invitation, StoreError> {
    let made_by: Option<i64> = row.try_get("made_by").told()?;
    let game: Option<&str> = row.try_get("game").told()?;
    Ok(Invitation {
        digest: convert::digest(row, "digest")?,
        made_by: made_by.map(|id| AccountId(id.unsigned_abs())),
        game: match game {
            Some(_) => Some(convert::word(row, "game")?),
            None => None,
        },
        uses_left: row.try_get("uses_left").told()?,
        ends_at: convert::moment(row, "ends_at")?,
    })
}
