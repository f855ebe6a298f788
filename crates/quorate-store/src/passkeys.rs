//! Passkeys of accounts.

use async_trait::async_trait;
use quorate_kernel::Moment;
use quorate_runtime::ports::{AccountError, AccountId, Passkey, Passkeys, StoreError};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, query};

use crate::Store;
use crate::accounts::{clash, number};
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

#[async_trait]
impl Passkeys for Store {
    async fn add_passkey(&self, passkey: &Passkey) -> Result<()> {
        let added = query(
            "INSERT INTO passkeys (id, account, public_key, sign_count, label, made_at) \
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(&passkey.id)
        .bind(number(passkey.account))
        .bind(&passkey.key)
        .bind(passkey.sign_count)
        .bind(&passkey.label)
        .bind(passkey.made_at.0);
        let mut writer = self.writer().await?;
        added.execute(&mut *writer).await.map_err(clash)?;
        Ok(())
    }

    async fn passkey(&self, id: &[u8]) -> Result<Option<Passkey>> {
        let found = query("SELECT * FROM passkeys WHERE id = ?").bind(id);
        let row = found.fetch_optional(&self.readers).await.explain()?;
        Ok(row.as_ref().map(passkey).transpose()?)
    }

    async fn passkeys_of(&self, account: AccountId) -> Result<Vec<Passkey>> {
        let all = query("SELECT * FROM passkeys WHERE account = ? ORDER BY made_at, id");
        let rows = all.bind(number(account)).fetch_all(&self.readers).await;
        let read: std::result::Result<Vec<_>, StoreError> =
            rows.explain()?.iter().map(passkey).collect();
        Ok(read?)
    }

    async fn use_passkey(&self, id: &[u8], sign_count: u32, now: Moment) -> Result<bool> {
        let used = query(
            "UPDATE passkeys SET sign_count = ?1, used_at = ?2 \
             WHERE id = ?3 AND (sign_count < ?1 OR (sign_count = 0 AND ?1 = 0))",
        )
        .bind(sign_count)
        .bind(now.0)
        .bind(id);
        let mut writer = self.writer().await?;
        let used = used.execute(&mut *writer).await.explain()?;
        Ok(used.rows_affected() > 0)
    }

    async fn drop_passkey(&self, account: AccountId, id: &[u8]) -> Result<bool> {
        let dropped = query("DELETE FROM passkeys WHERE account = ? AND id = ?")
            .bind(number(account))
            .bind(id);
        let mut writer = self.writer().await?;
        let dropped = dropped.execute(&mut *writer).await.explain()?;
        Ok(dropped.rows_affected() > 0)
    }
}

fn passkey(row: &SqliteRow) -> std::result::Result<Passkey, StoreError> {
    let account: i64 = row.try_get("account").explain()?;
    let used_at: Option<i64> = row.try_get("used_at").explain()?;
    Ok(Passkey {
        id: row.try_get("id").explain()?,
        account: AccountId(account.unsigned_abs()),
        key: row.try_get("public_key").explain()?,
        sign_count: row.try_get("sign_count").explain()?,
        label: row.try_get("label").explain()?,
        made_at: convert::moment(row, "made_at")?,
        used_at: used_at.map(Moment),
    })
}
