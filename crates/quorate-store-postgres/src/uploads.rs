//! Pictures that people put into what they write.

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::ports::{
    AccountError, AccountId, StoreError, UPLOADS_MAX, Upload, UploadKept, Uploads,
};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{Row, query};

use crate::PostgresStore;
use crate::accounts::number;
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

fn upload(row: &PgRow) -> std::result::Result<Upload, StoreError> {
    Ok(Upload {
        game: convert::word(row, "game")?,
        word: row.try_get("word").explain()?,
        at: convert::moment(row, "at")?,
        file: row.try_get("file").explain()?,
    })
}

#[async_trait]
impl Uploads for PostgresStore {
    async fn keep_upload(&self, id: AccountId, kept: &Upload) -> Result<UploadKept> {
        let keeping = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            // One of an account after the other, or two would take the same room.
            let locked = query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE");
            let locked = locked.bind(number(id));
            locked.fetch_optional(&mut *transaction).await?;
            let others = query(
                "SELECT count(*) AS count FROM uploads \
                 WHERE account = $1 AND NOT (game = $2 AND word = $3)",
            )
            .bind(number(id))
            .bind(kept.game.as_str())
            .bind(&kept.word);
            let others = others.fetch_one(&mut *transaction).await?;
            let count: i64 = others.try_get("count")?;
            if count >= i64::from(UPLOADS_MAX) {
                return Ok(UploadKept::TooMany);
            }
            let written = query(
                "INSERT INTO uploads (account, game, word, at, file) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (account, game, word) DO NOTHING",
            )
            .bind(number(id))
            .bind(kept.game.as_str())
            .bind(&kept.word)
            .bind(kept.at.0)
            .bind(&kept.file);
            written.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(UploadKept::Kept)
        };
        self.once(keeping).await
    }

    async fn upload(
        &self,
        game: &GameId,
        word: &str,
        by: Option<AccountId>,
    ) -> Result<Option<Upload>> {
        let found = query(
            "SELECT * FROM uploads \
             WHERE game = $1 AND word = $2 AND ($3::bigint IS NULL OR account = $3) \
             ORDER BY at, account LIMIT 1",
        )
        .bind(game.as_str())
        .bind(word)
        .bind(by.map(number));
        self.first(found, upload).await
    }

    async fn drop_upload(&self, game: &GameId, word: &str, by: Option<AccountId>) -> Result<u64> {
        let dropped = query(
            "DELETE FROM uploads \
             WHERE game = $1 AND word = $2 AND ($3::bigint IS NULL OR account = $3)",
        )
        .bind(game.as_str())
        .bind(word)
        .bind(by.map(number));
        self.write(dropped).await
    }

    async fn drop_uploads_of(&self, id: AccountId) -> Result<u64> {
        self.write(query("DELETE FROM uploads WHERE account = $1").bind(number(id)))
            .await
    }
}
