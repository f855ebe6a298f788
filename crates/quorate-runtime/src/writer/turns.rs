//! How a turn of a writer ends: the game sleeps, is given up, or is claimed again.

use super::Writer;
use crate::error::OperatingError;
use crate::host::{Purpose, TurnEnd};
use crate::ports::{ClaimFor, ClaimedGame, StoreError};
use crate::registry::WriterStanding;

impl Writer {
    /// Gives the game up. Where another node has it, or is to, the commands that wait go there.
    pub(super) async fn step_down(
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
            Err(OperatingError::Store(StoreError::GameTaken { .. } | StoreError::InDoubt)) => {
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
            ClaimedGame::Ours(lease) if lease.epoch == self.lease.epoch => {
                self.lease = lease;
                Ok(true)
            }
            ClaimedGame::Ours(_) | ClaimedGame::Theirs(_) => Err(self.taken().into()),
        }
    }

    pub(super) fn taken(&self) -> StoreError {
        let game = self.game.clone();
        StoreError::GameTaken { game }
    }
}
