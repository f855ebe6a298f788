//! The nodes, and who of them writes to which game.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::{GameId, Moment};
use quorate_runtime::ports::{
    ClaimFor, ClaimedGame, Epoch, LEASE_MS, Lease, News, NodeRow, NodeStanding, Nodes, StoreError,
};
use sqlx::postgres::{PgConnection, PgPool, PgRow};
use sqlx::{Postgres, Row, Transaction};

use crate::error::Explain;
use crate::news::{FORGOTTEN, LOGS, NODES};
use crate::own_node::{Hold, held_from, steady_now};
use crate::{PostgresStore, convert};

/// How many games with something due are asked for at a time.
const DUES_AT_ONCE: i64 = 500;

/// What the columns of a node are called when they are read.
const NODE_COLUMNS: &str =
    "name, address, edition, release, draining, alive_until > clock_timestamp() AS alive";

/// What a claim found, before it is told in the words of the ports.
enum Claimed {
    Ours(i64),
    Theirs(PgRow),
    NoGame,
}

impl PostgresStore {
    /// Claims a game: gets its lease again, or the next one where nobody alive holds it.
    pub(crate) async fn claim_game(
        &self,
        game: &GameId,
        what_for: ClaimFor,
    ) -> Result<ClaimedGame, StoreError> {
        let Hold {
            term, is_draining, ..
        } = *self.node.hold();
        let claimed = self
            .database
            .ask(|pool| self.try_claim(pool, game, what_for, is_draining));
        match claimed.await? {
            Claimed::Ours(epoch) => Ok(ClaimedGame::Ours(Lease {
                epoch: Epoch(epoch.unsigned_abs()),
                term,
            })),
            Claimed::Theirs(row) => Ok(ClaimedGame::Theirs(node_row(&row)?)),
            Claimed::NoGame => Err(StoreError::NoGame { game: game.clone() }),
        }
    }

    async fn try_claim(
        &self,
        pool: PgPool,
        game: &GameId,
        what_for: ClaimFor,
        is_draining: bool,
    ) -> Result<Claimed, sqlx::Error> {
        let mut transaction = pool.begin().await?;
        let Some(row) = locked_lease(&mut transaction, game, what_for).await? else {
            return Ok(Claimed::NoGame);
        };
        let epoch: i64 = row.try_get("epoch")?;
        let node: Option<String> = row.try_get("node")?;
        let incarnation: Option<i64> = row.try_get("incarnation")?;
        if let (Some(node), Some(incarnation)) = (node, incarnation) {
            if *node == *self.node.name && incarnation == self.node.incarnation {
                transaction.commit().await?;
                return Ok(Claimed::Ours(epoch));
            }
            if let Some(owner) = living(&mut transaction, &node, incarnation).await? {
                return Ok(Claimed::Theirs(owner));
            }
        }
        if is_draining && let Some(other) = least_busy(&mut transaction, &self.node.name).await? {
            return Ok(Claimed::Theirs(other));
        }
        let epoch = sqlx::query_scalar(
            "UPDATE leases SET epoch = epoch + 1, node = $2, incarnation = $3 WHERE game = $1 \
             RETURNING epoch",
        )
        .bind(game.as_str())
        .bind(&*self.node.name)
        .bind(self.node.incarnation)
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Claimed::Ours(epoch))
    }

    /// Gives a game up, if its lease is still that one and this node's.
    pub(crate) async fn release_game(&self, game: &GameId, epoch: Epoch) -> Result<(), StoreError> {
        let released = self.database.ask(|pool| async move {
            sqlx::query(
                "UPDATE leases SET node = NULL, incarnation = NULL \
                 WHERE game = $1 AND epoch = $2 AND node = $3 AND incarnation = $4",
            )
            .bind(game.as_str())
            .bind(epoch.0.cast_signed())
            .bind(&*self.node.name)
            .bind(self.node.incarnation)
            .execute(&pool)
            .await
        });
        released.await.map(drop)
    }

    /// Has a node give its games away, or take games again. False where there is no such node.
    pub async fn set_draining(&self, node: &str, is_draining: bool) -> Result<bool, StoreError> {
        let changed = self.database.ask(|pool| async move {
            let changed = sqlx::query("UPDATE nodes SET draining = $2 WHERE name = $1")
                .bind(node)
                .bind(is_draining)
                .execute(&pool)
                .await?;
            sqlx::query("SELECT pg_notify($1, $2)")
                .bind(NODES)
                .bind(node)
                .execute(&pool)
                .await?;
            Ok(changed.rows_affected() > 0)
        });
        changed.await
    }
}

/// The lease of a game, which nobody else can take until the end of the transaction. None where there is no such game.
async fn locked_lease(
    transaction: &mut Transaction<'_, Postgres>,
    game: &GameId,
    what_for: ClaimFor,
) -> Result<Option<PgRow>, sqlx::Error> {
    for is_last in [false, true] {
        let row =
            sqlx::query("SELECT epoch, node, incarnation FROM leases WHERE game = $1 FOR UPDATE")
                .bind(game.as_str())
                .fetch_optional(&mut **transaction)
                .await?;
        if row.is_some() || is_last {
            return Ok(row);
        }
        sqlx::query(
            "INSERT INTO leases (game, epoch) SELECT $1, 0 \
             WHERE $2 OR EXISTS (SELECT 1 FROM games WHERE word = $1) ON CONFLICT DO NOTHING",
        )
        .bind(game.as_str())
        .bind(what_for == ClaimFor::Founding)
        .execute(&mut **transaction)
        .await?;
    }
    Ok(None)
}

/// A node, if that process of it is alive. Its row is locked, so that it renews its leases before this is asked or
/// after all that follows from the answer.
async fn living(
    connection: &mut PgConnection,
    node: &str,
    incarnation: i64,
) -> Result<Option<PgRow>, sqlx::Error> {
    let question =
        format!("SELECT {NODE_COLUMNS} FROM nodes WHERE name = $1 AND incarnation = $2 FOR SHARE");
    let row = sqlx::query(sqlx::AssertSqlSafe(question))
        .bind(node)
        .bind(incarnation)
        .fetch_optional(connection)
        .await?;
    match row {
        Some(row) if row.try_get("alive")? => Ok(Some(row)),
        _ => Ok(None),
    }
}

/// The living node with the fewest games among those that take some.
async fn least_busy(
    connection: &mut PgConnection,
    but: &str,
) -> Result<Option<PgRow>, sqlx::Error> {
    let question = format!(
        "SELECT {NODE_COLUMNS} FROM nodes \
         WHERE name <> $1 AND address <> '' AND NOT draining AND alive_until > clock_timestamp() \
         ORDER BY (SELECT count(*) FROM leases WHERE leases.node = nodes.name), name LIMIT 1"
    );
    sqlx::query(sqlx::AssertSqlSafe(question))
        .bind(but)
        .fetch_optional(connection)
        .await
}

fn node_row(row: &PgRow) -> Result<NodeRow, StoreError> {
    let text = |column: &str| -> Result<Arc<str>, StoreError> {
        let text: &str = row.try_get(column).explain()?;
        Ok(text.into())
    };
    let edition: i32 = row.try_get("edition").explain()?;
    Ok(NodeRow {
        name: text("name")?,
        address: text("address")?,
        edition: u16::try_from(edition).unwrap_or(0),
        release: text("release")?,
        is_alive: row.try_get("alive").explain()?,
        is_draining: row.try_get("draining").explain()?,
        game_count: 0,
    })
}

#[async_trait]
impl Nodes for PostgresStore {
    fn name(&self) -> Arc<str> {
        self.node.name()
    }

    async fn renew(&self) -> Result<NodeStanding, StoreError> {
        let asked_at = steady_now();
        let renewed: Option<(bool, bool)> = self
            .database
            .ask(|pool| async move {
                sqlx::query_as(
                    "WITH before AS (SELECT name, alive_until FROM nodes \
                       WHERE name = $1 AND incarnation = $2 FOR UPDATE) \
                     UPDATE nodes SET alive_until = clock_timestamp() + $3 * interval '1 ms' \
                     FROM before WHERE nodes.name = before.name \
                     RETURNING before.alive_until < clock_timestamp(), nodes.draining",
                )
                .bind(&*self.node.name)
                .bind(self.node.incarnation)
                .bind(LEASE_MS.cast_signed())
                .fetch_optional(&pool)
                .await
            })
            .await?;
        let (has_lapsed, is_draining) = renewed.ok_or_else(|| self.node.replaced())?;
        let mut hold = self.node.hold();
        // The database may have said that they had ended in an answer that was lost; then the steady clock says so too, for
        // it counts them as ended earlier.
        if has_lapsed || steady_now() >= hold.until {
            // Others may have taken any game meanwhile; who owns one asks again.
            hold.term += 1;
        }
        // A renewal that was tried again counts from the first try, which is early rather than late.
        hold.until = hold.until.max(held_from(asked_at));
        hold.is_draining = is_draining;
        Ok(NodeStanding { is_draining })
    }

    fn is_sure(&self, lease: Lease) -> bool {
        let hold = self.node.hold();
        hold.term == lease.term && steady_now() < hold.until
    }

    async fn list(&self) -> Result<Vec<NodeRow>, StoreError> {
        let rows = self.database.ask(|pool| async move {
            let question = format!(
                "SELECT {NODE_COLUMNS}, (SELECT count(*) FROM leases \
                 WHERE leases.node = nodes.name AND leases.incarnation = nodes.incarnation) AS games \
                 FROM nodes WHERE address <> '' ORDER BY name"
            );
            sqlx::query(sqlx::AssertSqlSafe(question))
                .fetch_all(&pool)
                .await
        });
        let rows = rows.await?;
        let read = |row: &PgRow| {
            let games: i64 = row.try_get("games").explain()?;
            Ok(NodeRow {
                game_count: games.unsigned_abs(),
                ..node_row(row)?
            })
        };
        rows.iter().map(read).collect()
    }

    async fn unowned_dues(&self, up_to: Moment) -> Result<Vec<(GameId, Moment)>, StoreError> {
        let rows = self.database.ask(|pool| async move {
            sqlx::query(
                "SELECT word, next_due FROM games \
                 LEFT JOIN leases ON leases.game = games.word \
                 LEFT JOIN nodes ON nodes.name = leases.node \
                   AND nodes.incarnation = leases.incarnation \
                   AND nodes.alive_until > clock_timestamp() \
                 WHERE whole AND removed_at IS NULL AND next_due <= $1 AND nodes.name IS NULL \
                 ORDER BY next_due LIMIT $2",
            )
            .bind(up_to.0)
            .bind(DUES_AT_ONCE)
            .fetch_all(&pool)
            .await
        });
        let rows = rows.await?;
        let read = |row: &PgRow| {
            Ok((
                convert::word(row, "word")?,
                convert::moment(row, "next_due")?,
            ))
        };
        rows.iter().map(read).collect()
    }

    async fn tell_forgotten(&self) -> Result<(), StoreError> {
        let told = self.database.ask(|pool| async move {
            sqlx::query("SELECT pg_notify($1, $2)")
                .bind(LOGS)
                .bind(FORGOTTEN)
                .execute(&pool)
                .await
        });
        told.await.map(drop)
    }

    async fn news(&self) -> News {
        let mut news = self.news.lock().await;
        match news.recv().await {
            Some(news) => news,
            // The task that listens lives as long as this store.
            None => std::future::pending().await,
        }
    }

    async fn leave(&self) -> Result<(), StoreError> {
        let left = self.database.ask(|pool| async move {
            let mut transaction = pool.begin().await?;
            for each in [
                "UPDATE leases SET node = NULL, incarnation = NULL WHERE node = $1 AND incarnation = $2",
                "DELETE FROM nodes WHERE name = $1 AND incarnation = $2",
            ] {
                sqlx::query(each)
                    .bind(&self.node.options.name)
                    .bind(self.node.incarnation)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await
        });
        left.await
    }
}
