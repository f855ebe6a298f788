//! What somebody is writing and has not posted.

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::ports::{
    AccountError, AccountId, DRAFT_BYTES_MAX, DRAFTS_BYTES_MAX, DRAFTS_MAX, DraftKept, Drafts,
    KeptDraft, StoreError,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, query};

use crate::Store;
use crate::accounts::{clash, number};
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

fn draft(row: &SqliteRow) -> std::result::Result<KeptDraft, StoreError> {
    Ok(KeptDraft {
        game: convert::word(row, "game")?,
        form: row.try_get("form").explain()?,
        title: row.try_get("title").explain()?,
        at: convert::moment(row, "at")?,
        fields: row.try_get("fields").explain()?,
    })
}

#[async_trait]
impl Drafts for Store {
    async fn keep_draft(&self, id: AccountId, kept: &KeptDraft) -> Result<DraftKept> {
        if kept.fields.len() > DRAFT_BYTES_MAX {
            return Ok(DraftKept::TooLong);
        }
        let mut writer = self.writer().await?;
        writer.begin().await?;
        let others = query(
            "SELECT count(*) AS count, coalesce(sum(length(CAST(fields AS BLOB))), 0) AS bytes \
             FROM drafts WHERE account = ? AND NOT (game = ? AND form = ?)",
        )
        .bind(number(id))
        .bind(kept.game.as_str())
        .bind(&kept.form);
        let others = others.fetch_one(&mut *writer).await.explain()?;
        let count: i64 = others.try_get("count").explain()?;
        let bytes: i64 = others.try_get("bytes").explain()?;
        if count >= i64::from(DRAFTS_MAX) {
            return Ok(DraftKept::TooMany);
        }
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes.saturating_add(kept.fields.len()) > DRAFTS_BYTES_MAX {
            return Ok(DraftKept::TooLong);
        }
        let written = query(
            "INSERT OR REPLACE INTO drafts (account, game, form, title, at, fields) \
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(number(id))
        .bind(kept.game.as_str())
        .bind(&kept.form)
        .bind(&kept.title)
        .bind(kept.at.0)
        .bind(&kept.fields);
        written.execute(&mut *writer).await.map_err(clash)?;
        writer.commit().await.map_err(|error| self.mind(error))?;
        Ok(DraftKept::Kept)
    }

    async fn draft(&self, id: AccountId, game: &GameId, form: &str) -> Result<Option<KeptDraft>> {
        let found = query("SELECT * FROM drafts WHERE account = ? AND game = ? AND form = ?")
            .bind(number(id))
            .bind(game.as_str())
            .bind(form);
        self.first(found, draft).await
    }

    async fn drafts(&self, id: AccountId, game: &GameId) -> Result<Vec<KeptDraft>> {
        let all =
            query("SELECT * FROM drafts WHERE account = ? AND game = ? ORDER BY at DESC, form")
                .bind(number(id))
                .bind(game.as_str());
        self.all(all, draft).await
    }

    async fn drop_draft(&self, id: AccountId, game: &GameId, form: &str) -> Result<bool> {
        let dropped = query("DELETE FROM drafts WHERE account = ? AND game = ? AND form = ?")
            .bind(number(id))
            .bind(game.as_str())
            .bind(form);
        Ok(self.write(dropped).await? > 0)
    }
}
