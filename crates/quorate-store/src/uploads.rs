//! Pictures that people put into what they write.

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::ports::{
    AccountError, AccountId, StoreError, UPLOADS_MAX, Upload, UploadKept, Uploads,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, query};

use crate::Store;
use crate::accounts::{clash, number};
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

fn upload(row: &SqliteRow) -> std::result::Result<Upload, StoreError> {
    Ok(Upload {
        game: convert::word(row, "game")?,
        word: row.try_get("word").explain()?,
        at: convert::moment(row, "at")?,
        file: row.try_get("file").explain()?,
    })
}

#[async_trait]
impl Uploads for Store {
    async fn keep_upload(&self, id: AccountId, kept: &Upload) -> Result<UploadKept> {
        let mut writer = self.writer().await?;
        writer.begin().await?;
        let others = query(
            "SELECT count(*) AS count FROM uploads WHERE account = ? AND NOT (game = ? AND word = ?)",
        )
        .bind(number(id))
        .bind(kept.game.as_str())
        .bind(&kept.word);
        let others = others.fetch_one(&mut *writer).await.explain()?;
        let count: i64 = others.try_get("count").explain()?;
        if count >= i64::from(UPLOADS_MAX) {
            return Ok(UploadKept::TooMany);
        }
        let written = query(
            "INSERT INTO uploads (account, game, word, at, file) VALUES (?, ?, ?, ?, ?) \
             ON CONFLICT (account, game, word) DO NOTHING",
        )
        .bind(number(id))
        .bind(kept.game.as_str())
        .bind(&kept.word)
        .bind(kept.at.0)
        .bind(&kept.file);
        written.execute(&mut *writer).await.map_err(clash)?;
        writer.commit().await.map_err(|error| self.mind(error))?;
        Ok(UploadKept::Kept)
    }

    async fn upload(
        &self,
        game: &GameId,
        word: &str,
        by: Option<AccountId>,
    ) -> Result<Option<Upload>> {
        let found = query(
            "SELECT * FROM uploads WHERE game = ?1 AND word = ?2 AND (?3 IS NULL OR account = ?3) \
             ORDER BY at, account LIMIT 1",
        )
        .bind(game.as_str())
        .bind(word)
        .bind(by.map(number));
        self.first(found, upload).await
    }

    async fn drop_upload(&self, game: &GameId, word: &str, by: Option<AccountId>) -> Result<u64> {
        let dropped = query(
            "DELETE FROM uploads WHERE game = ?1 AND word = ?2 AND (?3 IS NULL OR account = ?3)",
        )
        .bind(game.as_str())
        .bind(word)
        .bind(by.map(number));
        self.write(dropped).await
    }

    async fn drop_uploads_of(&self, id: AccountId) -> Result<u64> {
        let dropped = query("DELETE FROM uploads WHERE account = ?").bind(number(id));
        self.write(dropped).await
    }
}
