//! What keeps accounts safe.

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::{Moment, Span};
use quorate_runtime::ports::{
    AccountError, AccountId, ENTRIES_KEPT, NewAccount, OutsideName, OutsideWay, Safety,
    SecondFactor, SecurityEntry, SecurityEvent, SessionUse, StoreError,
};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row, query};

use crate::Store;
use crate::accounts::{clash, insert, number};
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

#[async_trait]
impl Safety for Store {
    async fn make_invited(&self, account: &NewAccount, invitation: Digest) -> Result<AccountId> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        use_up(&mut writer, invitation, account.made_at).await?;
        let id = insert(&mut writer, account).await?;
        writer.commit().await.map_err(|e| self.mind(e))?;
        Ok(id)
    }

    async fn use_session(&self, used: &SessionUse, ends_at: Moment, most: Span) -> Result<()> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        let digest = used.session.0.to_vec();
        let extended = query("UPDATE sessions SET ends_at = min(?, began_at + ?) WHERE digest = ?")
            .bind(ends_at.0)
            .bind(most.0)
            .bind(digest.clone());
        if extended
            .execute(&mut *writer)
            .await
            .explain()?
            .rows_affected()
            > 0
        {
            let noted = query(
                "INSERT INTO session_uses (digest, at, place) VALUES (?, ?, ?) \
                 ON CONFLICT (digest) DO UPDATE SET at = excluded.at, place = excluded.place",
            )
            .bind(digest)
            .bind(used.at.0)
            .bind(&used.place);
            noted.execute(&mut *writer).await.explain()?;
        }
        writer.commit().await.map_err(|e| self.mind(e))?;
        Ok(())
    }

    async fn session_uses(&self, id: AccountId) -> Result<Vec<SessionUse>> {
        let all = query(
            "SELECT session_uses.* FROM session_uses JOIN sessions USING (digest) \
             WHERE sessions.account = ? ORDER BY session_uses.at DESC",
        );
        self.all(all.bind(number(id)), session_use).await
    }

    async fn close_ways(&self, id: AccountId) -> Result<()> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        for way in [
            "DELETE FROM sessions WHERE account = ?",
            "DELETE FROM tokens WHERE account = ?",
            "DELETE FROM recoveries WHERE account = ?",
            "DELETE FROM outside_ways WHERE account = ?",
            "DELETE FROM passkeys WHERE account = ?",
        ] {
            let closed = query(way).bind(number(id)).execute(&mut *writer);
            closed.await.explain()?;
        }
        writer.commit().await.map_err(|e| self.mind(e))?;
        Ok(())
    }

    async fn make_from_outside(
        &self,
        account: &NewAccount,
        invitation: Option<Digest>,
        way: &OutsideWay,
    ) -> Result<AccountId> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        if let Some(invitation) = invitation {
            use_up(&mut writer, invitation, account.made_at).await?;
        }
        let id = insert(&mut writer, account).await?;
        link(&mut writer, id, way).await?;
        writer.commit().await.map_err(|e| self.mind(e))?;
        Ok(id)
    }

    async fn account_from_outside(&self, name: &OutsideName) -> Result<Option<AccountId>> {
        let found = query("SELECT account FROM outside_ways WHERE issuer = ? AND subject = ?")
            .bind(&name.issuer)
            .bind(&name.subject)
            .fetch_optional(&self.readers)
            .await
            .explain()?;
        let id = found.map(|row| row.try_get::<i64, _>("account"));
        let id = id.transpose().explain()?;
        Ok(id.map(|id| AccountId(id.unsigned_abs())))
    }

    async fn outside_ways(&self, id: AccountId) -> Result<Vec<OutsideWay>> {
        let all = query(
            "SELECT * FROM outside_ways WHERE account = ? ORDER BY linked_at, issuer, subject",
        );
        self.all(all.bind(number(id)), outside_way).await
    }

    async fn link_outside(&self, id: AccountId, way: &OutsideWay) -> Result<()> {
        let mut writer = self.writer().await?;
        link(&mut writer, id, way).await
    }

    async fn unlink_outside(&self, id: AccountId, name: &OutsideName) -> Result<bool> {
        let unlinked =
            query("DELETE FROM outside_ways WHERE account = ? AND issuer = ? AND subject = ?")
                .bind(number(id))
                .bind(&name.issuer)
                .bind(&name.subject);
        Ok(self.write(unlinked).await? > 0)
    }

    async fn second_factor(&self, id: AccountId) -> Result<Option<SecondFactor>> {
        let found = query(
            "SELECT secret, last_step, (SELECT count(*) FROM recovery_codes \
             WHERE recovery_codes.account = second_factors.account) AS code_count \
             FROM second_factors WHERE account = ?",
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
        let mut writer = self.writer().await?;
        writer.begin().await?;
        let dropped = query("DELETE FROM second_factors WHERE account = ?").bind(number(id));
        dropped.execute(&mut *writer).await.explain()?;
        let set = query("INSERT INTO second_factors (account, secret, last_step) VALUES (?, ?, ?)")
            .bind(number(id))
            .bind(secret.to_vec())
            .bind(step.cast_signed());
        set.execute(&mut *writer).await.map_err(clash)?;
        for code in codes {
            let kept = query("INSERT INTO recovery_codes (account, digest) VALUES (?, ?)")
                .bind(number(id))
                .bind(code.0.to_vec());
            kept.execute(&mut *writer).await.explain()?;
        }
        writer.commit().await.map_err(|e| self.mind(e))?;
        Ok(())
    }

    async fn drop_second_factor(&self, id: AccountId) -> Result<()> {
        let dropped = query("DELETE FROM second_factors WHERE account = ?").bind(number(id));
        self.write(dropped).await.map(drop)
    }

    async fn use_step(&self, id: AccountId, step: u64) -> Result<bool> {
        let used =
            query("UPDATE second_factors SET last_step = ? WHERE account = ? AND last_step < ?")
                .bind(step.cast_signed())
                .bind(number(id))
                .bind(step.cast_signed());
        Ok(self.write(used).await? > 0)
    }

    async fn use_recovery_code(&self, id: AccountId, code: Digest) -> Result<bool> {
        let used = query("DELETE FROM recovery_codes WHERE account = ? AND digest = ?")
            .bind(number(id))
            .bind(code.0.to_vec());
        Ok(self.write(used).await? > 0)
    }

    async fn note(&self, entry: &SecurityEntry) -> Result<()> {
        let noted = query(
            "INSERT INTO security_log (at, event, account, by_account, about, place) \
             VALUES (?, ?, ?, ?, ?, ?)",
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
        let all = match account {
            Some(id) => {
                let own = "SELECT * FROM security_log WHERE account = ? ORDER BY id DESC LIMIT ?";
                query(own).bind(number(id)).bind(count_max)
            }
            None => query("SELECT * FROM security_log ORDER BY id DESC LIMIT ?").bind(count_max),
        };
        self.all(all, entry).await
    }

    async fn drop_entries(&self, now: Moment) -> Result<()> {
        let before = now + Span(-ENTRIES_KEPT.0);
        let dropped = query("DELETE FROM security_log WHERE at < ?").bind(before.0);
        self.write(dropped).await.map(drop)
    }
}

/// Takes one use of an invitation.
async fn use_up(writer: &mut SqliteConnection, invitation: Digest, now: Moment) -> Result<()> {
    let used = query(
        "UPDATE invitations SET uses_left = uses_left - 1 \
         WHERE digest = ? AND ends_at > ? AND uses_left > 0",
    )
    .bind(invitation.0.to_vec())
    .bind(now.0);
    match used.execute(writer).await.explain()?.rows_affected() {
        0 => Err(AccountError::NoInvitation),
        _ => Ok(()),
    }
}

async fn link(writer: &mut SqliteConnection, id: AccountId, way: &OutsideWay) -> Result<()> {
    let linked = query(
        "INSERT INTO outside_ways (issuer, subject, account, label, linked_at) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(&way.name.issuer)
    .bind(&way.name.subject)
    .bind(number(id))
    .bind(&way.label)
    .bind(way.linked_at.0);
    linked.execute(writer).await.map_err(clash)?;
    Ok(())
}

fn outside_way(row: &SqliteRow) -> std::result::Result<OutsideWay, StoreError> {
    Ok(OutsideWay {
        name: OutsideName {
            issuer: row.try_get("issuer").explain()?,
            subject: row.try_get("subject").explain()?,
        },
        label: row.try_get("label").explain()?,
        linked_at: convert::moment(row, "linked_at")?,
    })
}

fn second_factor(row: &SqliteRow) -> std::result::Result<SecondFactor, StoreError> {
    let last_step: i64 = row.try_get("last_step").explain()?;
    Ok(SecondFactor {
        secret: row.try_get("secret").explain()?,
        last_step: last_step.unsigned_abs(),
        code_count: row.try_get("code_count").explain()?,
    })
}

fn session_use(row: &SqliteRow) -> std::result::Result<SessionUse, StoreError> {
    Ok(SessionUse {
        session: convert::digest(row, "digest")?,
        at: convert::moment(row, "at")?,
        place: row.try_get("place").explain()?,
    })
}

fn entry(row: &SqliteRow) -> std::result::Result<SecurityEntry, StoreError> {
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
