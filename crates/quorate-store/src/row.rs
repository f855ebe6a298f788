//! A row as this store reads it, under the name by which code of both stores does.

pub(crate) use sqlx::sqlite::SqliteRow as StoredRow;
