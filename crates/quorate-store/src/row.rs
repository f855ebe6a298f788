//! What this store is made of, under the names by which code of both stores calls it.

pub(crate) use crate::Store as ThisStore;
pub(crate) use sqlx::sqlite::SqliteRow as StoredRow;
