//! What keeps the index of words up with the games.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::GameId;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::view::search::{index_on, is_behind};

/// How long it waits after an event, so that what happens together is taken in together.
const GATHER: Duration = Duration::from_millis(300);

/// It looks which games went on at least this often: other nodes' events are heard of late, or not at all.
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
        let mut heard = self.site.parts.games.subscribe_all();
        let mut games = self.behind().await;
        loop {
            for game in std::mem::take(&mut games) {
                if let Err(trouble) = self.follow(&game).await {
                    tracing::error!(%game, trouble = %trouble.what(), "a game was not indexed for searches");
                }
            }
            tokio::select! {
                notice = heard.recv() => match notice {
                    Ok(notice) => {
                        games.insert(notice.game);
                        tokio::time::sleep(GATHER).await;
                    }
                    Err(RecvError::Lagged(_)) => games = self.behind().await,
                    Err(RecvError::Closed) => return,
                },
                () = tokio::time::sleep(LOOK_EVERY) => games = self.behind().await,
            }
            loop {
                match heard.try_recv() {
                    Ok(notice) => {
                        games.insert(notice.game);
                    }
                    Err(TryRecvError::Lagged(_)) => games.extend(self.behind().await),
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
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
        let mut found = BTreeSet::new();
        let rows = match self.site.parts.games.list().await {
            Ok(rows) => rows,
            Err(error) => {
                tracing::error!(%error, "the list of games cannot be read");
                return found;
            }
        };
        for row in rows {
            match is_behind(&self.site, &row).await {
                Ok(true) => drop(found.insert(row.game)),
                Ok(false) => {}
                Err(trouble) => {
                    tracing::error!(game = %row.game, trouble = %trouble.what(), "the index cannot be read");
                }
            }
        }
        found
    }
}
