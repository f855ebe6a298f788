//! Which games went on: heard of from this node's writers, and looked for in the list of all games, since other nodes' events
//! are heard of late, or not at all.

use std::collections::BTreeSet;
use std::time::Duration;

use quorate_kernel::GameId;
use quorate_runtime::Notice;
use quorate_runtime::ports::GameRow;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::app::error::AppError;
use crate::app::state::AppState;

/// What somebody who follows the games is told.
pub(super) enum WentOn {
    /// These games went on, as far as was heard; none when the time was over.
    Games(BTreeSet<GameId>),
    /// Any game may have.
    Any,
}

/// Hears which games went on.
pub(super) struct GameWatch {
    heard: Receiver<Notice>,
    /// All games are looked at each time that this ticks, the first time at once.
    view: Interval,
    /// How long it waits after an event, so that what happens together is read together.
    gather: Duration,
}

impl GameWatch {
    pub(super) fn new(site: &AppState, look_every: Duration, gather: Duration) -> Self {
        let mut view = interval(look_every);
        view.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            heard: site.deps.games.subscribe_all(),
            view,
            gather,
        }
    }

    /// Waits until a game goes on, all are to be looked at, or the time is over. None when no game will go on any more.
    pub(super) async fn next(&mut self, at_most: Duration) -> Option<WentOn> {
        let mut games = BTreeSet::new();
        tokio::select! {
            _ = self.view.tick() => return Some(WentOn::Any),
            notice = self.heard.recv() => match notice {
                Ok(notice) => drop(games.insert(notice.game)),
                Err(RecvError::Lagged(_)) => return Some(WentOn::Any),
                Err(RecvError::Closed) => return None,
            },
            () = tokio::time::sleep(at_most) => return Some(WentOn::Games(games)),
        }
        tokio::time::sleep(self.gather).await;
        loop {
            match self.heard.try_recv() {
                Ok(notice) => drop(games.insert(notice.game)),
                Err(TryRecvError::Lagged(_)) => return Some(WentOn::Any),
                Err(TryRecvError::Empty | TryRecvError::Closed) => {
                    return Some(WentOn::Games(games));
                }
            }
        }
    }
}

/// The games of which somebody is behind. A game that cannot be asked about is left for the next time.
pub(super) async fn behind<F>(site: &AppState, is_behind: impl Fn(GameRow) -> F) -> BTreeSet<GameId>
where
    F: Future<Output = Result<bool, AppError>>,
{
    let mut found = BTreeSet::new();
    let rows = match site.deps.games.list().await {
        Ok(rows) => rows,
        Err(error) => {
            tracing::error!(%error, "the list of games cannot be read");
            return found;
        }
    };
    for row in rows {
        let game = row.game.clone();
        match is_behind(row).await {
            Ok(true) => drop(found.insert(game)),
            Ok(false) => {}
            Err(error) => {
                tracing::error!(%game, error = %error.what(), "how far a game was followed cannot be read");
            }
        }
    }
    found
}
