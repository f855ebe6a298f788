//! Games on several nodes: who is asked, and how long this node is one of them.

use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::GameId;
use quorate_kernel::command::Act;

use super::Games;
use crate::error::OperatingError;
use crate::host::Purpose;
use crate::mail::{CommandSender, WriterMail};
use crate::ports::{NodeRow, PeerAnswer, PeerAsk, PeerError, StoreError};
use crate::published::Published;
use crate::registry::NodeRole;
use crate::settings::Others;

/// How long somebody waits while a game moves from one node to another.
const MOVED_WITHIN: Duration = Duration::from_secs(12);

/// How long to wait before a game is asked for again.
const AGAIN_AFTER: Duration = Duration::from_millis(20);

/// How long to wait before it is asked for again where its owner is gone.
const GONE_AGAIN_AFTER: Duration = Duration::from_millis(200);

/// Whether an error may pass when the game has found its owner.
fn may_pass(error: &OperatingError) -> bool {
    matches!(
        error,
        OperatingError::Interrupted
            | OperatingError::Store(
                StoreError::GameTaken { .. } | StoreError::InDoubt | StoreError::HeadMoved { .. }
            )
    )
}

impl Games {
    /// The newest state of a game on any node.
    pub(super) async fn look(
        &self,
        others: &Others,
        game: &GameId,
    ) -> Result<Arc<Published>, OperatingError> {
        let looking = async {
            loop {
                match self.look_once(others, game).await {
                    Err(error) if may_pass(&error) => tokio::time::sleep(AGAIN_AFTER).await,
                    done => return done,
                }
            }
        };
        let looked = tokio::time::timeout(MOVED_WITHIN, looking).await;
        looked.unwrap_or(Err(OperatingError::Interrupted))
    }

    async fn look_once(
        &self,
        others: &Others,
        game: &GameId,
    ) -> Result<Arc<Published>, OperatingError> {
        let slot = self.wake(game, Purpose::Read)?;
        let (published, role) = slot.awake().await?;
        if let NodeRole::Owner(lease) = role
            && others.nodes.is_sure(lease)
            && (!slot.is_appending() || self.is_all(game, &published).await?)
        {
            return Ok(published);
        }
        let (reply, answer) = tokio::sync::oneshot::channel();
        let sent = slot.inbox.send(WriterMail::Look(reply)).await;
        sent.map_err(|_| OperatingError::Interrupted)?;
        answer.await.map_err(|_| OperatingError::Interrupted)
    }

    /// Whether the log ends where that does. The owner knows that by itself but while an append is on its way: others may read
    /// the new events before the store's answer is here.
    async fn is_all(&self, game: &GameId, published: &Published) -> Result<bool, OperatingError> {
        let row = self.0.ports.journal.game(game).await?;
        Ok(row.is_some_and(|row| row.head == published.head))
    }

    /// Asks the owner of a game, whoever that is or becomes meanwhile. The same key counts once, so it is asked again
    /// where nobody knows what became of the first time.
    pub(super) async fn ask_owner(
        &self,
        others: &Others,
        game: &GameId,
        purpose: Purpose,
        ask: PeerAsk,
    ) -> Result<PeerAnswer, OperatingError> {
        let asking = async {
            loop {
                match self.ask_once(others, game, purpose, ask.clone()).await {
                    Err(error) if may_pass(&error) => tokio::time::sleep(AGAIN_AFTER).await,
                    done => return done,
                }
            }
        };
        let asked = tokio::time::timeout(MOVED_WITHIN, asking).await;
        asked.unwrap_or(Err(OperatingError::Interrupted))
    }

    async fn ask_once(
        &self,
        others: &Others,
        game: &GameId,
        purpose: Purpose,
        ask: PeerAsk,
    ) -> Result<PeerAnswer, OperatingError> {
        let edition = match self.ask_its_owner(others, game, purpose, ask.clone()).await {
            Err(OperatingError::LaterEdition { edition, .. }) => edition,
            done => return done,
        };
        // This node doesn't know the game's language, or one doesn't to which another gave it.
        let node = node_for(others, game, edition).await?;
        let answer = ask_there(others, &node, game, ask).await?;
        // Until the node that refused has given the game up, this one can't take it.
        answer.ok_or(OperatingError::Interrupted)
    }

    async fn ask_its_owner(
        &self,
        others: &Others,
        game: &GameId,
        purpose: Purpose,
        ask: PeerAsk,
    ) -> Result<PeerAnswer, OperatingError> {
        let slot = self.wake(game, purpose)?;
        if let Some(owner) = slot.owner_elsewhere().await?
            && let Some(answer) = ask_there(others, &owner, game, ask.clone()).await?
        {
            return Ok(answer);
        }
        // Its own writer asks who owns the game now, and takes the command where that is this node.
        self.do_here(game, purpose, ask).await
    }

    async fn do_here(
        &self,
        game: &GameId,
        purpose: Purpose,
        ask: PeerAsk,
    ) -> Result<PeerAnswer, OperatingError> {
        match ask {
            PeerAsk::Command { actor, key, act } => {
                let answer = self
                    .order_here(game, purpose, (actor, key, act), CommandSender::staying())
                    .await?;
                Ok(PeerAnswer::Command(answer))
            }
            PeerAsk::Forget(digests) => {
                let count = self.forget_here(game, &digests).await?;
                Ok(PeerAnswer::Forgotten(count))
            }
        }
    }

    /// Does what another node asks of this one, which owns the game or takes it now. It is not passed on.
    pub async fn answer_peer(&self, game: &GameId, ask: PeerAsk) -> Result<PeerAnswer, PeerError> {
        let purpose = match &ask {
            PeerAsk::Command {
                act: Act::Found(_), ..
            } => Purpose::Found,
            PeerAsk::Command { .. } | PeerAsk::Forget(_) => Purpose::Use,
        };
        self.wake(game, purpose)?;
        match self.do_here(game, purpose, ask).await {
            Err(OperatingError::Interrupted) => Err(PeerError::NotOwner),
            done => Ok(done?),
        }
    }
}

/// Asks another node; none where it doesn't own the game, or is gone.
async fn ask_there(
    others: &Others,
    node: &Arc<NodeRow>,
    game: &GameId,
    ask: PeerAsk,
) -> Result<Option<PeerAnswer>, OperatingError> {
    match others.peers.ask(node, game, ask).await {
        Ok(answer) => Ok(Some(answer)),
        Err(PeerError::Operating(error)) => Err(error),
        Err(PeerError::NotOwner) => Ok(None),
        Err(PeerError::Gone(why)) => {
            tracing::warn!(%game, node = %node.name, why, "the owner of a game is gone");
            // Until its lease ends there is nothing to do but to wait.
            tokio::time::sleep(GONE_AGAIN_AFTER).await;
            Ok(None)
        }
    }
}

/// A node that knows the language of a game's law.
async fn node_for(
    others: &Others,
    game: &GameId,
    edition: u16,
) -> Result<Arc<NodeRow>, OperatingError> {
    let mut nodes = others.nodes.list().await?;
    let own = others.nodes.name();
    nodes.retain(|node| {
        node.name != own && node.is_alive && !node.is_draining && node.edition >= edition
    });
    let least = nodes.into_iter().min_by_key(|node| node.game_count);
    let game = || game.clone();
    least
        .map(Arc::new)
        .ok_or_else(|| OperatingError::LaterEdition {
            game: game(),
            edition,
        })
}
