//! The games of a server, without a way around their readers' sight.

use std::sync::Arc;

use quorate_kernel::command::{Act, Actor, Founding};
use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Name};
use quorate_runtime::ports::GameRow;
use quorate_runtime::{Answer, Games, Notice, OperatingError, Published, Receipt};
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
pub struct GameHost(Games);

impl From<Games> for GameHost {
    fn from(games: Games) -> Self {
        Self(games)
    }
}

impl GameHost {
    /// The newest state of a game on disk.
    pub(super) async fn snapshot(&self, game: &GameId) -> Result<Arc<Published>, OperatingError> {
        self.0.snapshot(game).await
    }

    /// The number of a game's newest event.
    pub async fn newest(&self, game: &GameId) -> Result<EventSeq, OperatingError> {
        Ok(self.0.snapshot(game).await?.head.seq)
    }

    /// All games.
    pub async fn list(&self) -> Result<Vec<GameRow>, OperatingError> {
        self.0.list().await
    }

    /// Begins a game.
    pub async fn found(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        founding: Founding,
    ) -> Result<Answer, OperatingError> {
        self.0.found(game, actor, key, founding).await
    }

    /// Sends a command.
    pub async fn send(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        act: Act,
    ) -> Result<Answer, OperatingError> {
        self.0.send(game, actor, key, act).await
    }

    /// What came of an earlier command, by its sender and key.
    pub async fn receipt(
        &self,
        game: &GameId,
        actor: Actor,
        key: &Name,
    ) -> Result<Option<Receipt>, OperatingError> {
        self.0.receipt(game, actor, key).await
    }

    /// Word of each event of a game from now on.
    pub fn subscribe(&self, game: &GameId) -> Receiver<Notice> {
        self.0.subscribe(game)
    }

    /// Drops contents of seals for good; gives how many there were.
    pub async fn forget(&self, game: &GameId, digests: &[Digest]) -> Result<usize, OperatingError> {
        self.0.forget(game, digests).await
    }

    /// Whether somebody looks after a game at this moment.
    pub fn is_awake(&self, game: &GameId) -> bool {
        self.0.is_awake(game)
    }
}
