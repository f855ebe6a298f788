//! Is the secret the one that the games of this store were played under?

use quorate_kernel::digest::Digest;
use quorate_runtime::ports::{ServerSecret, StoreError};
use sqlx::sqlite::SqliteConnection;

use crate::convert;
use crate::error::Explain;
use crate::folder::Folder;

/// The secret of a store that is opened to write. Made now where there is neither a secret nor a game.
///
/// Where `is_new` is set, whatever is there is taken, and a secret is made where there is none: the games go on under it.
pub(crate) async fn owned(
    folder: &Folder,
    writer: &mut SqliteConnection,
    is_new: bool,
) -> Result<ServerSecret, StoreError> {
    let games: i64 = sqlx::query_scalar("SELECT count(*) FROM games")
        .fetch_one(&mut *writer)
        .await
        .explain()?;
    let known = mark(&mut *writer).await?;
    let secret = match folder.secret_if_there()? {
        Some(secret) => secret,
        None if games == 0 || is_new => folder.make_secret()?,
        None => {
            return Err(StoreError::NoSecret {
                folder: folder.name(),
            });
        }
    };
    let own = secret.mark();
    if known == Some(own) {
        return Ok(secret);
    }
    if known.is_some() && games > 0 && !is_new {
        return Err(StoreError::OtherSecret {
            folder: folder.name(),
        });
    }
    sqlx::query("UPDATE server SET secret_mark = ?")
        .bind(own.0.to_vec())
        .execute(writer)
        .await
        .explain()?;
    Ok(secret)
}

/// The secret, where it is there and the store's; to read, the store serves without it.
pub(crate) fn read(
    folder: &Folder,
    known: Option<Digest>,
) -> Result<Option<ServerSecret>, StoreError> {
    let secret = folder.secret_if_there()?;
    Ok(secret.filter(|secret| known.is_none_or(|known| known == secret.mark())))
}

/// What the store's secret is known by.
pub(crate) async fn mark<'c>(
    connection: impl sqlx::SqliteExecutor<'c>,
) -> Result<Option<Digest>, StoreError> {
    let mark: Option<Vec<u8>> = sqlx::query_scalar("SELECT secret_mark FROM server")
        .fetch_one(connection)
        .await
        .explain()?;
    mark.map(|mark| convert::array(&mark).map(Digest))
        .transpose()
}
