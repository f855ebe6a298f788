//! What keeps the index of words up with the games.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::GameId;
use quorate_runtime::ports::GameRow;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::delivery::held::HeldGames;
use crate::delivery::watch::{GameWatch, WentOn, behind};
use crate::view::indexing::{index_on, is_behind};

/// How long it waits after an event, so that what happens together is taken in together.
const GATHER: Duration = Duration::from_millis(300);

/// It looks which games went on at least this often.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Keeps the index of words up with the games. How far it is stands in the index itself, so whatever keeps it from its work
/// is made up for when it looks again.
pub struct Indexer {
    site: Arc<AppState>,
}

impl Indexer {
    /// For a site.
    pub fn new(site: &Arc<AppState>) -> Self {
        Self {
            site: Arc::clone(site),
        }
    }

    /// Goes on until it is dropped.
    pub async fn run(self) {
        let mut watch = GameWatch::new(&self.site, LOOK_EVERY, GATHER);
        // A game whose words cannot be had costs a worker each time.
        let mut held = HeldGames::default();
        while let Some(went_on) = watch.next(LOOK_EVERY).await {
            let games = match went_on {
                WentOn::Games(games) => games,
                WentOn::Any => self.behind().await,
            };
            for game in games {
                if held.is_held(&game, self.site.now()) {
                    continue;
                }
                match self.follow(&game).await {
                    Ok(()) => held.free(&game),
                    Err(error) => {
                        let until = held.hold(&game, self.site.now());
                        tracing::error!(%game, error = %error.what(), again = %until, "a game was not indexed for searches");
                    }
                }
            }
        }
    }

    /// One round: takes in all that is new in all games.
    ///
    /// # Errors
    /// Fails where a log or the index cannot be read.
    pub async fn round(&self) -> Result<(), AppError> {
        for game in self.behind().await {
            self.follow(&game).await?;
        }
        Ok(())
    }

    async fn follow(&self, game: &GameId) -> Result<(), AppError> {
        while index_on(&self.site, game).await? {}
        Ok(())
    }

    /// The games of which something is to be taken in.
    async fn behind(&self) -> BTreeSet<GameId> {
        let is_behind = |row: GameRow| async move { is_behind(&self.site, &row).await };
        behind(&self.site, is_behind).await
    }
}
