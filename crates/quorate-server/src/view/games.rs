//! The games of a server, without a way around their readers' sight.

use std::sync::Arc;

use quorate_kernel::command::{Act, Actor, Founding};
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use quorate_runtime::ports::{DistantGames, GameRow, Journal};
use quorate_runtime::{Answer, CommandSender, Games, Notice, OperatingError, Published, Receipt};
use tokio::sync::broadcast::Receiver;

/// The games of a server. What they hold comes out through a [`crate::view::game::GameView`] alone: the state of a game
/// cannot be had from here but within this folder.
///
/// ```compile_fail
/// async fn whole_state(host: &quorate_server::view::games::GameHost, game: &quorate_kernel::GameId) {
///     let _ = host.snapshot(game).await;
/// }
/// ```
///
/// ```compile_fail
/// fn whole_state(view: &quorate_server::view::game::GameView) -> &quorate_kernel::state::State {
///     view.state()
/// }
/// ```
#[derive(Clone)]
pub struct GameHost(HostPlace);

/// Where the games are.
#[derive(Clone)]
enum HostPlace {
    /// In this process.
    Here(Games),
    /// In the server's, while this is a worker. `list` is the log's, and nothing is heard of what happens.
    There {
        games: Arc<dyn DistantGames>,
        journal: Arc<dyn Journal>,
    },
}

impl From<Games> for GameHost {
    fn from(games: Games) -> Self {
        Self(HostPlace::Here(games))
    }
}

/// What a worker does not do.
fn not_here<T>() -> Result<T, OperatingError> {
    Err(OperatingError::Interrupted)
}

impl GameHost {
    /// The games of another process, for a worker.
    pub fn distant(games: Arc<dyn DistantGames>, journal: Arc<dyn Journal>) -> Self {
        Self(HostPlace::There { games, journal })
    }

    /// The newest state of a game on disk.
    pub(super) async fn snapshot(&self, game: &GameId) -> Result<Arc<Published>, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.snapshot(game).await,
            HostPlace::There { games, .. } => games.snapshot(game).await,
        }
    }

    /// The number of a game's newest event.
    pub async fn newest(&self, game: &GameId) -> Result<EventSeq, OperatingError> {
        Ok(self.snapshot(game).await?.head.seq)
    }

    /// All games.
    pub async fn list(&self) -> Result<Vec<GameRow>, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.list().await,
            HostPlace::There { journal, .. } => Ok(journal.games().await?),
        }
    }

    /// Begins a game.
    pub async fn found(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        founding: Founding,
    ) -> Result<Answer, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.found(game, actor, key, founding).await,
            HostPlace::There { .. } => not_here(),
        }
    }

    /// Sends a command for somebody who may hang up. In a worker the server knows whether they did.
    pub async fn send_for(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        act: Act,
        sender: CommandSender,
    ) -> Result<Answer, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.send_for(game, actor, key, act, sender).await,
            HostPlace::There { games, .. } => games.send(game, actor, key, act).await,
        }
    }

    /// What came of an earlier command, by its sender and key.
    pub async fn receipt(
        &self,
        game: &GameId,
        actor: Actor,
        key: &Name,
    ) -> Result<Option<Receipt>, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.receipt(game, actor, key).await,
            HostPlace::There { games, .. } => games.receipt(game, actor, key).await,
        }
    }

    /// Word of each event of a game from now on; in a worker there is none.
    pub fn subscribe(&self, game: &GameId) -> Receiver<Notice> {
        match &self.0 {
            HostPlace::Here(games) => games.subscribe(game),
            HostPlace::There { .. } => tokio::sync::broadcast::channel(1).1,
        }
    }

    /// Word of each event of any game from now on; in a worker there is none.
    pub fn subscribe_all(&self) -> Receiver<Notice> {
        match &self.0 {
            HostPlace::Here(games) => games.subscribe_all(),
            HostPlace::There { .. } => tokio::sync::broadcast::channel(1).1,
        }
    }

    /// Drops contents of seals for good; gives how many there were.
    pub async fn forget(&self, game: &GameId, digests: &[Digest]) -> Result<usize, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.forget(game, digests).await,
            HostPlace::There { .. } => not_here(),
        }
    }

    /// Takes a game off the site, or puts it back; false where there is no such game.
    pub async fn set_removed(
        &self,
        game: &GameId,
        is_removed: bool,
    ) -> Result<bool, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.set_removed(game, is_removed).await,
            HostPlace::There { .. } => not_here(),
        }
    }

    /// The games that were removed, with when.
    pub async fn removed(&self) -> Result<Vec<(GameId, Moment)>, OperatingError> {
        match &self.0 {
            HostPlace::Here(games) => games.removed().await,
            HostPlace::There { .. } => not_here(),
        }
    }

    /// Tells when another node dropped contents of seals; in a worker nothing is told.
    pub fn forgotten(&self) -> tokio::sync::watch::Receiver<u64> {
        match &self.0 {
            HostPlace::Here(games) => games.forgotten(),
            HostPlace::There { .. } => tokio::sync::watch::channel(0).1,
        }
    }

    /// Whether somebody looks after a game at this moment.
    pub fn is_awake(&self, game: &GameId) -> bool {
        match &self.0 {
            HostPlace::Here(games) => games.is_awake(game),
            HostPlace::There { .. } => true,
        }
    }
}
