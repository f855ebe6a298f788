//! Who plays whom.

use quorate_kernel::{GameId, PlayerId};
use quorate_runtime::ports::{AccountId, Seat, StoreError};
use sqlx::sqlite::SqliteRow;

use super::{Result, account_id, clash, number};
use crate::Store;
use crate::convert;
use crate::error::Told;

impl Store {
    pub(super) async fn insert_seat(&self, seat: &Seat) -> Result<()> {
        let mut writer = self.writer().await?;
        sqlx::query("INSERT INTO seats (game, player, account) VALUES (?, ?, ?)")
            .bind(seat.game.as_str())
            .bind(seat.player.to_string())
            .bind(number(seat.account))
            .execute(&mut *writer)
            .await
            .map_err(clash)?;
        Ok(())
    }

    pub(super) async fn drop_seat(&self, game: &GameId, player: PlayerId) -> Result<()> {
        let mut writer = self.writer().await?;
        sqlx::query("DELETE FROM seats WHERE game = ? AND player = ?")
            .bind(game.as_str())
            .bind(player.to_string())
            .execute(&mut *writer)
            .await
            .told()?;
        Ok(())
    }

    pub(super) async fn find_seat(&self, id: AccountId, game: &GameId) -> Result<Option<PlayerId>> {
        let row = sqlx::query("SELECT player FROM seats WHERE account = ? AND game = ?")
            .bind(number(id))
            .bind(game.as_str())
            .fetch_optional(&self.readers)
            .await
            .told()?;
        let player = row.as_ref().map(|row| convert::word(row, "player"));
        Ok(player.transpose()?)
    }

    pub(super) async fn list_seats_of(&self, id: AccountId) -> Result<Vec<Seat>> {
        let rows = sqlx::query("SELECT * FROM seats WHERE account = ? ORDER BY game")
            .bind(number(id))
            .fetch_all(&self.readers)
            .await
            .told()?;
        Ok(seats(&rows)?)
    }

    pub(super) async fn list_seats_in(&self, game: &GameId) -> Result<Vec<Seat>> {
        let rows = sqlx::query("SELECT * FROM seats WHERE game = ?")
            .bind(game.as_str())
            .fetch_all(&self.readers)
            .await
            .told()?;
        let mut seats = seats(&rows)?;
        // As texts, player 10 would come before player 2.
        seats.sort_by_key(|seat| seat.player);
        Ok(seats)
    }
}

fn seats(rows: &[SqliteRow]) -> std::result::Result<Vec<Seat>, StoreError> {
    let seat = |row: &SqliteRow| {
        Ok(Seat {
            game: convert::word(row, "game")?,
            player: convert::word(row, "player")?,
            account: account_id(row, "account")?,
        })
    };
    rows.iter().map(seat).collect()
}
