//! What lies beside the log.

use std::collections::HashMap;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;
use quorate_runtime::ports::{Seals, StoreError};
use sqlx::sqlite::{Sqlite, SqliteConnection};
use sqlx::{QueryBuilder, Row};

use crate::Store;
use crate::convert;
use crate::error::Explain;

/// How many seals go into one statement; SQLite takes some 32 thousand parameters.
const AT_ONCE: usize = 500;

/// Writes seals that are not there; what is there, or was forgotten, stays as it is.
pub(crate) async fn insert(
    writer: &mut SqliteConnection,
    seals: &[&SealBytes],
) -> Result<(), StoreError> {
    for some in seals.chunks(AT_ONCE) {
        let mut query = QueryBuilder::<Sqlite>::new("INSERT INTO seals (digest, salt, bytes) ");
        query.push_values(some, |mut row, seal| {
            row.push_bind(seal.digest.0.to_vec())
                .push_bind(seal.salt.to_vec())
                .push_bind(seal.bytes.clone());
        });
        query.push(" ON CONFLICT (digest) DO NOTHING");
        query.build().execute(&mut *writer).await.explain()?;
    }
    Ok(())
}

#[async_trait]
impl Seals for Store {
    async fn find(&self, digests: &[Digest]) -> Result<HashMap<Digest, SealBytes>, StoreError> {
        let mut found = HashMap::with_capacity(digests.len());
        for some in digests.chunks(AT_ONCE) {
            let mut query = QueryBuilder::<Sqlite>::new(
                "SELECT digest, salt, bytes FROM seals WHERE bytes IS NOT NULL AND digest IN (",
            );
            let mut list = query.separated(", ");
            for digest in some {
                list.push_bind(digest.0.to_vec());
            }
            query.push(")");
            let rows = query.build().fetch_all(&self.readers).await.explain()?;
            for row in rows {
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
        let mut writer = self.writer().await?;
        let mut forgotten = 0;
        writer.begin().await?;
        for digest in digests {
            let dropped = sqlx::query(
                "UPDATE seals SET salt = NULL, bytes = NULL WHERE digest = ? AND bytes IS NOT NULL",
            );
            let digest = digest.0.to_vec();
            let dropped = dropped.bind(digest.clone()).execute(&mut *writer);
            forgotten += dropped.await.explain()?.rows_affected();
            let barred =
                sqlx::query("INSERT INTO seals (digest) VALUES (?) ON CONFLICT DO NOTHING");
            let barred = barred.bind(digest).execute(&mut *writer);
            barred.await.explain()?;
        }
        for digest in digests {
            crate::search::forget(&mut writer, digest).await?;
        }
        writer.commit().await.map_err(|e| self.mind(e))?;
        // Until then the old pages are still written ahead of the file.
        crate::file::settle(&mut writer).await?;
        Ok(usize::try_from(forgotten).unwrap_or(usize::MAX))
    }
}
