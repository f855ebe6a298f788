//! What keeps accounts safe.

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{Moment, Span};
use quorate_runtime::ports::{
    AccountError, AccountId, ENTRIES_KEPT, NewAccount, OutsideName, OutsideWay, Safety,
    SecondFactor, SecurityEntry, SecurityEvent, SessionUse, StoreError,
};
use sqlx::postgres::{PgArguments, PgConnection, PgPool, PgRow, Postgres};
use sqlx::query::Query;
use sqlx::{Row, query};

use crate::PostgresStore;
use crate::accounts::{inserted, number};
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

#[async_trait]
impl Safety for PostgresStore {
    async fn make_invited(&self, account: &NewAccount, invitation: Digest) -> Result<AccountId> {
        let made = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            if !use_up(&mut transaction, invitation, account.made_at).await? {
                return Ok(None);
            }
            let id = inserted(account).fetch_one(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(Some(id))
        };
        let id: Option<i64> = self.once(made).await?;
        let id = id.ok_or(AccountError::NoInvitation)?;
        Ok(AccountId(id.unsigned_abs()))
    }

    async fn use_session(&self, used: &SessionUse, ends_at: Moment, most: Span) -> Result<()> {
        let noted = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            let digest = used.session.0.to_vec();
            let extended =
                query("UPDATE sessions SET ends_at = least($1, began_at + $2) WHERE digest = $3")
                    .bind(ends_at.0)
                    .bind(most.0)
                    .bind(digest.clone())
                    .execute(&mut *transaction)
                    .await?;
            if extended.rows_affected() > 0 {
                query(
                    "INSERT INTO session_uses (digest, at, place) VALUES ($1, $2, $3) \
                     ON CONFLICT (digest) DO UPDATE SET at = excluded.at, place = excluded.place",
                )
                .bind(digest)
                .bind(used.at.0)
                .bind(&used.place)
                .execute(&mut *transaction)
                .await?;
            }
            transaction.commit().await
        };
        self.once(noted).await
    }

    async fn session_uses(&self, id: AccountId) -> Result<Vec<SessionUse>> {
        let all = query(
            "SELECT session_uses.* FROM session_uses JOIN sessions USING (digest) \
             WHERE sessions.account = $1 ORDER BY session_uses.at DESC",
        );
        self.all(all.bind(number(id)), session_use).await
    }

    async fn close_ways(&self, id: AccountId) -> Result<()> {
        let closed = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            for way in [
                "DELETE FROM sessions WHERE account = $1",
                "DELETE FROM tokens WHERE account = $1",
                "DELETE FROM recoveries WHERE account = $1",
                "DELETE FROM outside_ways WHERE account = $1",
                "DELETE FROM passkeys WHERE account = $1",
            ] {
                let closed = query(way).bind(number(id)).execute(&mut *transaction);
                closed.await?;
            }
            transaction.commit().await
        };
        self.once(closed).await
    }

    async fn make_from_outside(
        &self,
        account: &NewAccount,
        invitation: Option<Digest>,
        way: &OutsideWay,
    ) -> Result<AccountId> {
        let made = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            if let Some(invitation) = invitation
                && !use_up(&mut transaction, invitation, account.made_at).await?
            {
                return Ok(None);
            }
            let id = inserted(account).fetch_one(&mut *transaction).await?;
            linked(id, way).execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(Some(id))
        };
        let id: Option<i64> = self.once(made).await?;
        let id = id.ok_or(AccountError::NoInvitation)?;
        Ok(AccountId(id.unsigned_abs()))
    }

    async fn account_from_outside(&self, name: &OutsideName) -> Result<Option<AccountId>> {
        let found = query("SELECT account FROM outside_ways WHERE issuer = $1 AND subject = $2")
            .bind(&name.issuer)
            .bind(&name.subject);
        let id = |row: &PgRow| row.try_get::<i64, _>("account").explain();
        let id = self.first(found, id).await?;
        Ok(id.map(|id| AccountId(id.unsigned_abs())))
    }

    async fn outside_ways(&self, id: AccountId) -> Result<Vec<OutsideWay>> {
        let all = query(
            "SELECT * FROM outside_ways WHERE account = $1 ORDER BY linked_at, issuer, subject",
        );
        self.all(all.bind(number(id)), outside_way).await
    }

    async fn link_outside(&self, id: AccountId, way: &OutsideWay) -> Result<()> {
        self.write(linked(number(id), way)).await.map(drop)
    }

    async fn unlink_outside(&self, id: AccountId, name: &OutsideName) -> Result<bool> {
        let unlinked =
            query("DELETE FROM outside_ways WHERE account = $1 AND issuer = $2 AND subject = $3")
                .bind(number(id))
                .bind(&name.issuer)
                .bind(&name.subject);
        Ok(self.write(unlinked).await? > 0)
    }

    async fn second_factor(&self, id: AccountId) -> Result<Option<SecondFactor>> {
        let found = query(
            "SELECT secret, last_step, (SELECT count(*) FROM recovery_codes \
             WHERE recovery_codes.account = second_factors.account) AS code_count \
             FROM second_factors WHERE account = $1",
        );
        self.first(found.bind(number(id)), second_factor).await
    }

    async fn set_second_factor(
        &self,
        id: AccountId,
        secret: &[u8],
        step: u64,
        codes: &[Digest],
    ) -> Result<()> {
        let set = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            query("DELETE FROM second_factors WHERE account = $1")
                .bind(number(id))
                .execute(&mut *transaction)
                .await?;
            query("INSERT INTO second_factors (account, secret, last_step) VALUES ($1, $2, $3)")
                .bind(number(id))
                .bind(secret.to_vec())
                .bind(step.cast_signed())
                .execute(&mut *transaction)
                .await?;
            let codes: Vec<&[u8]> = codes.iter().map(|code| code.0.as_slice()).collect();
            query("INSERT INTO recovery_codes (account, digest) SELECT $1, unnest($2::bytea[])")
                .bind(number(id))
                .bind(codes)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await
        };
        self.once(set).await
    }

    async fn drop_second_factor(&self, id: AccountId) -> Result<()> {
        let dropped = query("DELETE FROM second_factors WHERE account = $1").bind(number(id));
        self.write(dropped).await.map(drop)
    }

    async fn use_step(&self, id: AccountId, step: u64) -> Result<bool> {
        let used =
            query("UPDATE second_factors SET last_step = $1 WHERE account = $2 AND last_step < $1")
                .bind(step.cast_signed())
                .bind(number(id));
        Ok(self.write(used).await? > 0)
    }

    async fn use_recovery_code(&self, id: AccountId, code: Digest) -> Result<bool> {
        let used = query("DELETE FROM recovery_codes WHERE account = $1 AND digest = $2")
            .bind(number(id))
            .bind(code.0.to_vec());
        Ok(self.write(used).await? > 0)
    }

    async fn note(&self, entry: &SecurityEntry) -> Result<()> {
        let noted = query(
            "INSERT INTO security_log (at, event, account, by_account, about, place) \
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(entry.at.0)
        .bind(entry.event.word())
        .bind(entry.account.map(number))
        .bind(entry.by.map(number))
        .bind(&entry.about)
        .bind(&entry.place);
        self.write(noted).await.map(drop)
    }

    async fn entries(
        &self,
        account: Option<AccountId>,
        count_max: u32,
    ) -> Result<Vec<SecurityEntry>> {
        let all = query(
            "SELECT * FROM security_log WHERE $1::bigint IS NULL OR account = $1 \
             ORDER BY id DESC LIMIT $2",
        );
        let all = all.bind(account.map(number)).bind(i64::from(count_max));
        self.all(all, entry).await
    }

    async fn drop_entries(&self, now: Moment) -> Result<()> {
        let before = now + Span(-ENTRIES_KEPT.0);
        let dropped = query("DELETE FROM security_log WHERE at < $1").bind(before.0);
        self.write(dropped).await.map(drop)
    }
}

/// Takes one use of an invitation; false where none was left.
async fn use_up(
    connection: &mut PgConnection,
    invitation: Digest,
    now: Moment,
) -> std::result::Result<bool, sqlx::Error> {
    let used = query(
        "UPDATE invitations SET uses_left = uses_left - 1 \
         WHERE digest = $1 AND ends_at > $2 AND uses_left > 0",
    )
    .bind(invitation.0.to_vec())
    .bind(now.0);
    Ok(used.execute(connection).await?.rows_affected() > 0)
}

fn linked(id: i64, way: &OutsideWay) -> Query<'_, Postgres, PgArguments> {
    query(
        "INSERT INTO outside_ways (issuer, subject, account, label, linked_at) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(&way.name.issuer)
    .bind(&way.name.subject)
    .bind(id)
    .bind(&way.label)
    .bind(way.linked_at.0)
}

fn outside_way(row: &PgRow) -> std::result::Result<OutsideWay, StoreError> {
    Ok(OutsideWay {
        name: OutsideName {
            issuer: row.try_get("issuer").explain()?,
            subject: row.try_get("subject").explain()?,
        },
        label: row.try_get("label").explain()?,
        linked_at: convert::moment(row, "linked_at")?,
    })
}

fn second_factor(row: &PgRow) -> std::result::Result<SecondFactor, StoreError> {
    let last_step: i64 = row.try_get("last_step").explain()?;
    let code_count: i64 = row.try_get("code_count").explain()?;
    Ok(SecondFactor {
        secret: row.try_get("secret").explain()?,
        last_step: last_step.unsigned_abs(),
        code_count: u32::try_from(code_count).unwrap_or(u32::MAX),
    })
}

fn session_use(row: &PgRow) -> std::result::Result<SessionUse, StoreError> {
    Ok(SessionUse {
        session: convert::digest(row, "digest")?,
        at: convert::moment(row, "at")?,
        place: row.try_get("place").explain()?,
    })
}

fn entry(row: &PgRow) -> std::result::Result<SecurityEntry, StoreError> {
    let word: &str = row.try_get("event").explain()?;
    let id = |column: &str| -> std::result::Result<Option<AccountId>, StoreError> {
        let id: Option<i64> = row.try_get(column).explain()?;
        Ok(id.map(|id| AccountId(id.unsigned_abs())))
    };
    Ok(SecurityEntry {
        at: convert::moment(row, "at")?,
        event: SecurityEvent::of_word(word).ok_or_else(|| StoreError::Damaged {
            what: format!("\"{word}\" in the security log").into(),
        })?,
        account: id("account")?,
        by: id("by_account")?,
        about: row.try_get("about").explain()?,
        place: row.try_get("place").explain()?,
    })
}
