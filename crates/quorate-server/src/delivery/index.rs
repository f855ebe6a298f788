//! What keeps the index of words up with the games.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::GameId;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::view::search::index_on;

/// How long it waits after an event, so that what happens together is taken in together.
const GATHER: Duration = Duration::from_millis(300);

/// It looks at all games at least this often: other nodes' events are heard of late, or not at all.
const LOOK_EVERY: Duration = Duration::from_secs(20);

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
        let mut games = self.all().await;
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
                    Err(RecvError::Lagged(_)) => games = self.all().await,
                    Err(RecvError::Closed) => return,
                },
                () = tokio::time::sleep(LOOK_EVERY) => games = self.all().await,
            }
            loop {
                match heard.try_recv() {
                    Ok(notice) => {
                        games.insert(notice.game);
                    }
                    Err(TryRecvError::Lagged(_)) => games.extend(self.all().await),
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
        for game in self.all().await {
            self.follow(&game).await?;
        }
        Ok(())
    }

    async fn follow(&self, game: &GameId) -> Result<(), AppError> {
        while index_on(&self.site, game).await? {}
        Ok(())
    }

    async fn all(&self) -> BTreeSet<GameId> {
        match self.site.parts.games.list().await {
            Ok(rows) => rows.into_iter().map(|row| row.game).collect(),
            Err(error) => {
                tracing::error!(%error, "the list of games cannot be read");
                BTreeSet::new()
            }
        }
    }
}
