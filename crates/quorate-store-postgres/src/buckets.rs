//! How often somebody may knock, for all nodes together.

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{Buckets, StoreError};

use crate::PostgresStore;

/// Takes a token, under the lock of its row. What the bucket holds by now is `level`; where that is less than a token, the
/// row stays as it was.
const DRAW: &str = "\
    INSERT INTO buckets AS kept (whose, level, at, full_at) \
        SELECT $1, $2 * 1000 - 1000, ms, ms + $3 * 1000 \
        FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now \
    ON CONFLICT (whose) DO UPDATE SET at = excluded.at, full_at = excluded.full_at, \
        level = least($2 * 1000, kept.level + greatest(0, excluded.at - kept.at) * $2 / $3) - 1000 \
        WHERE least($2 * 1000, kept.level + greatest(0, excluded.at - kept.at) * $2 / $3) >= 1000 \
    RETURNING level";

/// The milliseconds until a bucket holds a token again.
const WAIT: &str = "\
    SELECT greatest(1, (1000 - level) * $3 / $2 + 1 \
        - greatest(0, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - at)) \
    FROM buckets WHERE whose = $1";

/// Drops those that are full: one that is not there says the same.
const SWEEP: &str =
    "DELETE FROM buckets WHERE full_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

#[async_trait]
impl Buckets for PostgresStore {
    async fn draw(
        &self,
        bucket: Digest,
        burst: u32,
        refill_seconds: u32,
    ) -> Result<Option<u64>, StoreError> {
        let whose = bucket.0.as_slice();
        let (burst, refill) = (i64::from(burst), i64::from(refill_seconds.max(1)));
        let drawn = self.database.ask(|pool| async move {
            let level: Option<i64> = sqlx::query_scalar(DRAW)
                .bind(whose)
                .bind(burst)
                .bind(refill)
                .fetch_optional(&pool)
                .await?;
            if level.is_some() {
                return Ok(None);
            }
            let wait: Option<i64> = sqlx::query_scalar(WAIT)
                .bind(whose)
                .bind(burst)
                .bind(refill)
                .fetch_optional(&pool)
                .await?;
            Ok(Some(wait.unwrap_or(1)))
        });
        Ok(drawn.await?.map(i64::unsigned_abs))
    }
}

impl PostgresStore {
    pub(crate) async fn sweep_buckets(&self) -> Result<(), StoreError> {
        let swept = self
            .database
            .ask(|pool| async move { sqlx::query(SWEEP).execute(&pool).await });
        swept.await.map(drop)
    }
}
