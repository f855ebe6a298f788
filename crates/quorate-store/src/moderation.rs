//! What players tell the operator of, and what operators keep accounts from.

use async_trait::async_trait;
use quorate_kernel::Moment;
use quorate_runtime::ports::{
    AccountError, AccountId, Moderation, Report, Restraint, RestraintKind, StoreError,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, query};

use crate::Store;
use crate::accounts::{clash, number};
use crate::convert;
use crate::error::Explain;

type Result<T> = std::result::Result<T, AccountError>;

#[async_trait]
impl Moderation for Store {
    async fn restrain(&self, id: AccountId, restraint: &Restraint) -> Result<()> {
        let restrained = query(
            "INSERT OR REPLACE INTO restraints (account, kind, until, why) VALUES (?, ?, ?, ?)",
        )
        .bind(number(id))
        .bind(restraint.kind.word())
        .bind(restraint.until.map(|at| at.0))
        .bind(&restraint.why);
        let mut writer = self.writer().await?;
        restrained.execute(&mut *writer).await.map_err(clash)?;
        Ok(())
    }

    async fn lift(&self, id: AccountId) -> Result<()> {
        let lifted = query("DELETE FROM restraints WHERE account = ?").bind(number(id));
        let mut writer = self.writer().await?;
        lifted.execute(&mut *writer).await.explain()?;
        Ok(())
    }

    async fn restraint(&self, id: AccountId, now: Moment) -> Result<Option<Restraint>> {
        let found =
            query("SELECT * FROM restraints WHERE account = ? AND (until IS NULL OR until > ?)");
        let row = found
            .bind(number(id))
            .bind(now.0)
            .fetch_optional(&self.readers)
            .await;
        Ok(row.explain()?.as_ref().map(restraint).transpose()?)
    }

    async fn report(&self, report: &Report) -> Result<()> {
        let kept =
            query("INSERT INTO reports (at, by_account, game, about, why) VALUES (?, ?, ?, ?, ?)")
                .bind(report.at.0)
                .bind(report.by.map(number))
                .bind(report.game.as_str())
                .bind(&report.about)
                .bind(&report.why);
        let mut writer = self.writer().await?;
        kept.execute(&mut *writer).await.map_err(clash)?;
        Ok(())
    }

    async fn reports(&self) -> Result<Vec<(u64, Report)>> {
        let open = query("SELECT * FROM reports WHERE settled_at IS NULL ORDER BY id");
        let rows = open.fetch_all(&self.readers).await.explain()?;
        let read: std::result::Result<Vec<_>, StoreError> = rows.iter().map(report).collect();
        Ok(read?)
    }

    async fn settle_report(&self, id: u64, at: Moment) -> Result<bool> {
        let settled =
            query("UPDATE reports SET settled_at = ? WHERE id = ? AND settled_at IS NULL")
                .bind(at.0)
                .bind(id.cast_signed());
        let mut writer = self.writer().await?;
        let settled = settled.execute(&mut *writer).await.explain()?;
        Ok(settled.rows_affected() > 0)
    }
}

fn restraint(row: &SqliteRow) -> std::result::Result<Restraint, StoreError> {
    let word: &str = row.try_get("kind").explain()?;
    Ok(Restraint {
        kind: RestraintKind::of_word(word).ok_or_else(|| StoreError::Damaged {
            what: format!("\"{word}\" as what an account is kept from").into(),
        })?,
        until: convert::optional_moment(row, "until")?,
        why: row.try_get("why").explain()?,
    })
}

fn report(row: &SqliteRow) -> std::result::Result<(u64, Report), StoreError> {
    let id: i64 = row.try_get("id").explain()?;
    let by: Option<i64> = row.try_get("by_account").explain()?;
    let report = Report {
        at: convert::moment(row, "at")?,
        by: by.map(|id| AccountId(id.unsigned_abs())),
        game: convert::word(row, "game")?,
        about: row.try_get("about").explain()?,
        why: row.try_get("why").explain()?,
    };
    Ok((id.unsigned_abs(), report))
}
