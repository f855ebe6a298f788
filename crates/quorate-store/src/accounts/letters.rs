//! How far conversations were read.

use std::collections::BTreeMap;

use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::ports::{AccountId, StoreError};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Result, clash, number};
use crate::Store;
use crate::convert;
use crate::error::Told;

impl Store {
    pub(super) async fn list_letters_read(
        &self,
        id: AccountId,
        game: &GameId,
    ) -> Result<BTreeMap<String, EventSeq>> {
        let rows =
            sqlx::query("SELECT circle, up_to FROM letters_read WHERE account = ? AND game = ?")
                .bind(number(id))
                .bind(game.as_str())
                .fetch_all(&self.readers)
                .await
                .told()?;
        let read = |row: &SqliteRow| {
            let up_to = convert::seq(row.try_get("up_to").told()?);
            Ok((row.try_get("circle").told()?, up_to))
        };
        let all: std::result::Result<_, StoreError> = rows.iter().map(read).collect();
        Ok(all?)
    }

    pub(super) async fn note_letters_read(
        &self,
        id: AccountId,
        game: &GameId,
        circle: &str,
        up_to: EventSeq,
    ) -> Result<()> {
        let mut writer = self.writer().await?;
        sqlx::query(
            "INSERT INTO letters_read (account, game, circle, up_to) VALUES (?, ?, ?, ?) \
             ON CONFLICT DO UPDATE SET up_to = max(up_to, excluded.up_to)",
        )
        .bind(number(id))
        .bind(game.as_str())
        .bind(circle)
        .bind(up_to.0.cast_signed())
        .execute(&mut *writer)
        .await
        .map_err(clash)?;
        Ok(())
    }
}
