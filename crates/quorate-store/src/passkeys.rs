//! Passkeys of accounts.

use async_trait::async_trait;
use quorate_kernel::Moment;
use quorate_runtime::ports::{AccountError, AccountId, Passkey, Passkeys, StoreError};
use sqlx::{Row, query};

use crate::accounts::number;
use crate::convert;
use crate::error::Explain;
use crate::row::{StoredRow, ThisStore};

type Result<T> = std::result::Result<T, AccountError>;

#[async_trait]
impl Passkeys for ThisStore {
    async fn add_passkey(&self, passkey: &Passkey) -> Result<()> {
        let added = query(
            "INSERT INTO passkeys (id, account, public_key, sign_count, label, made_at) \
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(&passkey.id)
        .bind(number(passkey.account))
        .bind(&passkey.key)
        .bind(i64::from(passkey.sign_count))
        .bind(&passkey.label)
        .bind(passkey.made_at.0);
        self.write(added).await.map(drop)
    }

    async fn passkey(&self, id: &[u8]) -> Result<Option<Passkey>> {
        let found = query("SELECT * FROM passkeys WHERE id = $1").bind(id);
        self.first(found, passkey).await
    }

    async fn passkeys_of(&self, account: AccountId) -> Result<Vec<Passkey>> {
        let all = query("SELECT * FROM passkeys WHERE account = $1 ORDER BY made_at, id");
        self.all(all.bind(number(account)), passkey).await
    }

    async fn use_passkey(&self, id: &[u8], sign_count: u32, now: Moment) -> Result<bool> {
        let used = query(
            "UPDATE passkeys SET sign_count = $1, used_at = $2 \
             WHERE id = $3 AND (sign_count < $1 OR (sign_count = 0 AND $1 = 0))",
        )
        .bind(i64::from(sign_count))
        .bind(now.0)
        .bind(id);
        Ok(self.write(used).await? > 0)
    }

    async fn drop_passkey(&self, account: AccountId, id: &[u8]) -> Result<bool> {
        let dropped = query("DELETE FROM passkeys WHERE account = $1 AND id = $2")
            .bind(number(account))
            .bind(id);
        Ok(self.write(dropped).await? > 0)
    }
}

fn passkey(row: &StoredRow) -> std::result::Result<Passkey, StoreError> {
    let account: i64 = row.try_get("account").explain()?;
    let sign_count: i64 = row.try_get("sign_count").explain()?;
    let used_at: Option<i64> = row.try_get("used_at").explain()?;
    Ok(Passkey {
        id: row.try_get("id").explain()?,
        account: AccountId(account.unsigned_abs()),
        key: row.try_get("public_key").explain()?,
        sign_count: u32::try_from(sign_count).unwrap_or(u32::MAX),
        label: row.try_get("label").explain()?,
        made_at: convert::moment(row, "made_at")?,
        used_at: used_at.map(Moment),
    })
}
