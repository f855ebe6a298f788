//! What somebody is writing and has not posted.

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::ports::{
    AccountError, AccountId, DRAFT_BYTES_MAX, DRAFTS_BYTES_MAX, DRAFTS_MAX, DraftKept, Drafts,
    KeptDraft, StoreError,
};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{Row, query};

use crate::PostgresStore;
use crate::accounts::number;
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

fn draft(row: &PgRow) -> std::result::Result<KeptDraft, StoreError> {
    Ok(KeptDraft {
        game: convert::word(row, "game")?,
        form: row.try_get("form").explain()?,
        title: row.try_get("title").explain()?,
        at: convert::moment(row, "at")?,
        fields: row.try_get("fields").explain()?,
    })
}

#[async_trait]
impl Drafts for PostgresStore {
    async fn keep_draft(&self, id: AccountId, kept: &KeptDraft) -> Result<DraftKept> {
        if kept.fields.len() > DRAFT_BYTES_MAX {
            return Ok(DraftKept::TooLong);
        }
        let keeping = |pool: PgPool| async move {
            let mut transaction = pool.begin().await?;
            // One draft of an account after the other, or two would take the same room.
            let locked = query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE");
            let locked = locked.bind(number(id));
            locked.fetch_optional(&mut *transaction).await?;
            let others = query(
                "SELECT count(*) AS count, coalesce(sum(octet_length(fields)), 0)::bigint AS bytes \
                 FROM drafts WHERE account = $1 AND NOT (game = $2 AND form = $3)",
            )
            .bind(number(id))
            .bind(kept.game.as_str())
            .bind(&kept.form);
            let others = others.fetch_one(&mut *transaction).await?;
            let (count, bytes): (i64, i64) = (others.try_get("count")?, others.try_get("bytes")?);
            if count >= i64::from(DRAFTS_MAX) {
                return Ok(DraftKept::TooMany);
            }
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            if bytes.saturating_add(kept.fields.len()) > DRAFTS_BYTES_MAX {
                return Ok(DraftKept::TooLong);
            }
            let written = query(
                "INSERT INTO drafts (account, game, form, title, at, fields) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account, game, form) \
                 DO UPDATE SET title = excluded.title, at = excluded.at, fields = excluded.fields",
            )
            .bind(number(id))
            .bind(kept.game.as_str())
            .bind(&kept.form)
            .bind(&kept.title)
            .bind(kept.at.0)
            .bind(&kept.fields);
            written.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(DraftKept::Kept)
        };
        self.once(keeping).await
    }

    async fn draft(&self, id: AccountId, game: &GameId, form: &str) -> Result<Option<KeptDraft>> {
        let found = query("SELECT * FROM drafts WHERE account = $1 AND game = $2 AND form = $3")
            .bind(number(id))
            .bind(game.as_str())
            .bind(form);
        self.first(found, draft).await
    }

    async fn drafts(&self, id: AccountId, game: &GameId) -> Result<Vec<KeptDraft>> {
        let all =
            query("SELECT * FROM drafts WHERE account = $1 AND game = $2 ORDER BY at DESC, form");
        let all = all.bind(number(id)).bind(game.as_str());
        self.all(all, draft).await
    }

    async fn drop_draft(&self, id: AccountId, game: &GameId, form: &str) -> Result<bool> {
        let dropped = query("DELETE FROM drafts WHERE account = $1 AND game = $2 AND form = $3")
            .bind(number(id))
            .bind(game.as_str())
            .bind(form);
        Ok(self.write(dropped).await? > 0)
    }
}
