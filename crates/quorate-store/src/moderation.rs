//! What players tell the operator of, and what operators keep accounts from.

use async_trait::async_trait;
use quorate_kernel::Moment;
use quorate_runtime::ports::{
    AccountError, AccountId, Moderation, Report, Restraint, RestraintKind, StoreError,
};
use sqlx::{Row, query};

use crate::accounts::number;
use crate::convert;
use crate::error::Explain;
use crate::row::{StoredRow, ThisStore};

type Result<T> = std::result::Result<T, AccountError>;

#[async_trait]
impl Moderation for ThisStore {
    async fn restrain(&self, id: AccountId, restraint: &Restraint) -> Result<()> {
        let restrained = query(
            "INSERT INTO restraints (account, kind, until, why) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (account) DO UPDATE SET kind = excluded.kind, until = excluded.until, \
             why = excluded.why",
        )
        .bind(number(id))
        .bind(restraint.kind.word())
        .bind(restraint.until.map(|at| at.0))
        .bind(&restraint.why);
        self.write(restrained).await.map(drop)
    }

    async fn lift(&self, id: AccountId) -> Result<()> {
        let lifted = query("DELETE FROM restraints WHERE account = $1").bind(number(id));
        self.write(lifted).await.map(drop)
    }

    async fn restraint(&self, id: AccountId, now: Moment) -> Result<Option<Restraint>> {
        let found =
            query("SELECT * FROM restraints WHERE account = $1 AND (until IS NULL OR until > $2)");
        self.first(found.bind(number(id)).bind(now.0), restraint)
            .await
    }

    async fn report(&self, report: &Report) -> Result<()> {
        let kept = query(
            "INSERT INTO reports (at, by_account, game, about, why) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(report.at.0)
        .bind(report.by.map(number))
        .bind(report.game.as_str())
        .bind(&report.about)
        .bind(&report.why);
        self.write(kept).await.map(drop)
    }

    async fn reports(&self) -> Result<Vec<(u64, Report)>> {
        let open = query("SELECT * FROM reports WHERE settled_at IS NULL ORDER BY id");
        self.all(open, report).await
    }

    async fn settle_report(&self, id: u64, at: Moment) -> Result<bool> {
        let settled =
            query("UPDATE reports SET settled_at = $1 WHERE id = $2 AND settled_at IS NULL")
                .bind(at.0)
                .bind(id.cast_signed());
        Ok(self.write(settled).await? > 0)
    }
}

fn restraint(row: &StoredRow) -> std::result::Result<Restraint, StoreError> {
    let word: &str = row.try_get("kind").explain()?;
    Ok(Restraint {
        kind: RestraintKind::of_word(word).ok_or_else(|| StoreError::Damaged {
            what: format!("\"{word}\" as what an account is kept from").into(),
        })?,
        until: convert::optional_moment(row, "until")?,
        why: row.try_get("why").explain()?,
    })
}

fn report(row: &StoredRow) -> std::result::Result<(u64, Report), StoreError> {
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
