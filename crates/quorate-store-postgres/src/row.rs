//! What this store is made of, under the names by which code of both stores calls it.

pub(crate) use crate::PostgresStore as ThisStore;
pub(crate) use sqlx::postgres::PgRow as StoredRow;
