//! Whether this node owns the game or follows its owner: each turn begins with a claim.

use super::Writer;
use crate::error::OperatingError;
use crate::host::Purpose;
use crate::ports::{Claim, ClaimFor, StoreError};
use crate::registry::WriterStanding;

/// How a writer goes on.
pub(super) enum TurnEnd {
    /// Not at all.
    Asleep,
    /// With another claim, or as a reader.
    Again(Purpose),
}

impl Writer {
    /// Claims the game, and does what the claim makes it.
    pub(super) async fn turn(&mut self, purpose: Purpose) -> Result<TurnEnd, OperatingError> {
        let is_shared = self.host.ports.others.is_some();
        if is_shared && purpose == Purpose::Read {
            return self.follow(None).await;
        }
        let what_for = match purpose {
            Purpose::Found => ClaimFor::Founding,
            Purpose::Use | Purpose::Read | Purpose::Due => ClaimFor::Writing,
        };
        match self.host.ports.journal.claim(&self.game, what_for).await {
            Ok(Claim::Ours(lease)) => {
                self.lease = lease;
                self.standing.send_replace(WriterStanding::Opening);
                let ended = self.own(purpose).await;
                if is_shared {
                    return self.step_down(ended).await;
                }
                ended.map(|()| TurnEnd::Asleep)
            }
            Ok(Claim::Theirs(owner)) => {
                self.fail_orders(&OperatingError::Interrupted);
                match purpose {
                    // Its owner minds what is due.
                    Purpose::Due if self.inbox.is_empty() => Ok(TurnEnd::Asleep),
                    _ => self.follow(Some(owner)).await,
                }
            }
            Err(StoreError::NoGame { game }) => Err(OperatingError::NoGame(game)),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the game and serves it until it falls asleep.
    async fn own(&mut self, purpose: Purpose) -> Result<(), OperatingError> {
        let mut table = self.open(purpose).await?;
        self.serve(&mut table).await
    }

    /// Gives the game up. Where another node has it, or is to, the commands that wait go there.
    async fn step_down(
        &mut self,
        ended: Result<(), OperatingError>,
    ) -> Result<TurnEnd, OperatingError> {
        // From here on nobody takes what this writer knows for all there is.
        self.standing.send_replace(WriterStanding::Waking);
        let journal = &self.host.ports.journal;
        if let Err(error) = journal.release(&self.game, self.lease.epoch).await {
            tracing::warn!(game = %self.game, %error, "the game is free when the lease ends");
        }
        match ended {
            Ok(()) => Ok(TurnEnd::Asleep),
            Err(OperatingError::Store(StoreError::GameTaken { .. })) => {
                self.fail_orders(&OperatingError::Interrupted);
                Ok(TurnEnd::Again(Purpose::Read))
            }
            Err(error) => Err(error),
        }
    }

    /// Makes sure that this node still owns the game; it asks the store where it cannot know by itself. True where it
    /// got its lease anew.
    pub(super) async fn make_sure(&mut self) -> Result<bool, OperatingError> {
        let Some(others) = &self.host.ports.others else {
            return Ok(false);
        };
        if others.nodes.is_sure(self.lease) {
            return Ok(false);
        }
        let journal = &self.host.ports.journal;
        match journal.claim(&self.game, ClaimFor::Writing).await? {
            Claim::Ours(lease) if lease.epoch == self.lease.epoch => {
                self.lease = lease;
                Ok(true)
            }
            Claim::Ours(_) | Claim::Theirs(_) => Err(self.taken().into()),
        }
    }

    pub(super) fn taken(&self) -> StoreError {
        let game = self.game.clone();
        StoreError::GameTaken { game }
    }
}
