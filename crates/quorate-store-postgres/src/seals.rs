//! What lies beside the log.

use std::collections::HashMap;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;
use quorate_runtime::ports::{Seals, StoreError};
use sqlx::Row;

use crate::PostgresStore;
use crate::convert;
use crate::error::Explain;

/// How many seals are asked for at a time.
const AT_ONCE: usize = 2_000;

fn column(digests: &[Digest]) -> Vec<&[u8]> {
    digests.iter().map(|digest| digest.0.as_slice()).collect()
}

#[async_trait]
impl Seals for PostgresStore {
    async fn find(&self, digests: &[Digest]) -> Result<HashMap<Digest, SealBytes>, StoreError> {
        let mut found = HashMap::with_capacity(digests.len());
        for some in digests.chunks(AT_ONCE) {
            let rows = self.database.ask(|pool| async move {
                sqlx::query(
                    "SELECT digest, salt, bytes FROM seals \
                     WHERE bytes IS NOT NULL AND digest = ANY($1)",
                )
                .bind(column(some))
                .fetch_all(&pool)
                .await
            });
            for row in rows.await? {
                let seal = SealBytes {
                    digest: convert::digest(&row, "digest")?,
                    salt: convert::array(row.try_get("salt").explain()?)?,
                    bytes: row.try_get("bytes").explain()?,
                };
                found.insert(seal.digest, seal);
            }
        }
        Ok(found)
    }

    async fn forget(&self, digests: &[Digest]) -> Result<usize, StoreError> {
        let forgotten = self.database.ask(|pool| async move {
            let mut transaction = pool.begin().await?;
            let dropped = sqlx::query(
                "UPDATE seals SET salt = NULL, bytes = NULL \
                 WHERE digest = ANY($1) AND bytes IS NOT NULL",
            );
            let dropped = dropped.bind(column(digests)).execute(&mut *transaction);
            let forgotten = dropped.await?.rows_affected();
            let barred = sqlx::query(
                "INSERT INTO seals (digest) SELECT unnest($1::bytea[]) ON CONFLICT DO NOTHING",
            );
            let barred = barred.bind(column(digests)).execute(&mut *transaction);
            barred.await?;
            crate::search::forget(&mut transaction, &column(digests)).await?;
            transaction.commit().await?;
            Ok(forgotten)
        });
        let forgotten = forgotten.await?;
        // Until then the old rows lie in the table, unseen.
        let swept = self.database.ask(|pool| async move {
            sqlx::query("VACUUM seals, search_texts")
                .execute(&pool)
                .await
        });
        if let Err(error) = swept.await {
            tracing::warn!(%error, "what was forgotten is swept out of the table later");
        }
        Ok(usize::try_from(forgotten).unwrap_or(usize::MAX))
    }
}
