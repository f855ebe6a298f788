//! All accounts at once, on their way into another store.

use quorate_kernel::GameId;
use quorate_runtime::ports::AllAccounts;
use sqlx::postgres::{PgConnection, PgPool};
use sqlx::query;

use super::{Result, number};
use crate::PostgresStore;

impl PostgresStore {
    /// Takes in all or nothing.
    pub(super) async fn take_in_all(&self, all: &AllAccounts) -> Result<()> {
        let taken = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            take_in_accounts(&mut transaction, all).await?;
            take_in_keys(&mut transaction, all).await?;
            take_in_places(&mut transaction, all).await?;
            transaction.commit().await
        };
        self.once(taken).await
    }
}

type Taken = std::result::Result<(), sqlx::Error>;

async fn take_in_accounts(writer: &mut PgConnection, all: &AllAccounts) -> Taken {
    for account in &all.accounts {
        query(
            "INSERT INTO accounts \
             (id, name, name_key, mail, mail_key, password, operator, made_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(number(account.id))
        .bind(&account.name)
        .bind(account.name.to_lowercase())
        .bind(&account.mail)
        .bind(account.mail.as_ref().map(|mail| mail.to_lowercase()))
        .bind(&account.password)
        .bind(account.operator)
        .bind(account.made_at.0)
        .execute(&mut *writer)
        .await?;
    }
    // A sequence cannot stand at nothing given.
    if all.highest > 0 {
        query("SELECT setval('accounts_id_seq', $1)")
            .bind(all.highest.cast_signed())
            .execute(&mut *writer)
            .await?;
    }
    Ok(())
}

/// Sessions, tokens and links.
async fn take_in_keys(writer: &mut PgConnection, all: &AllAccounts) -> Taken {
    for session in &all.sessions {
        query("INSERT INTO sessions (digest, account, began_at, ends_at) VALUES ($1, $2, $3, $4)")
            .bind(session.digest.0.to_vec())
            .bind(number(session.account))
            .bind(session.began_at.0)
            .bind(session.ends_at.0)
            .execute(&mut *writer)
            .await?;
    }
    for token in &all.tokens {
        query(
            "INSERT INTO tokens (digest, account, label, scopes, game, made_at, ends_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(token.digest.0.to_vec())
        .bind(number(token.account))
        .bind(&token.label)
        .bind(token.scopes.to_string())
        .bind(token.game.as_ref().map(GameId::as_str))
        .bind(token.made_at.0)
        .bind(token.ends_at.map(|at| at.0))
        .execute(&mut *writer)
        .await?;
    }
    for invitation in &all.invitations {
        query(
            "INSERT INTO invitations (digest, made_by, game, uses_left, ends_at) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(invitation.digest.0.to_vec())
        .bind(invitation.made_by.map(number))
        .bind(invitation.game.as_ref().map(GameId::as_str))
        .bind(i64::from(invitation.uses_left))
        .bind(invitation.ends_at.0)
        .execute(&mut *writer)
        .await?;
    }
    for recovery in &all.recoveries {
        query("INSERT INTO recoveries (digest, account, ends_at) VALUES ($1, $2, $3)")
            .bind(recovery.digest.0.to_vec())
            .bind(number(recovery.account))
            .bind(recovery.ends_at.0)
            .execute(&mut *writer)
            .await?;
    }
    Ok(())
}

/// Seats, and what was read at them.
async fn take_in_places(writer: &mut PgConnection, all: &AllAccounts) -> Taken {
    for seat in &all.seats {
        query("INSERT INTO seats (game, player, account) VALUES ($1, $2, $3)")
            .bind(seat.game.as_str())
            .bind(seat.player.to_string())
            .bind(number(seat.account))
            .execute(&mut *writer)
            .await?;
    }
    for read in &all.read {
        query("INSERT INTO letters_read (account, game, circle, up_to) VALUES ($1, $2, $3, $4)")
            .bind(number(read.account))
            .bind(read.game.as_str())
            .bind(&read.conversation)
            .bind(read.up_to.0.cast_signed())
            .execute(&mut *writer)
            .await?;
    }
    Ok(())
}
