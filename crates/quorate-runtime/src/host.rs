//! What the games of a server share.

use quorate_kernel::{EventSeq, GameId, Moment, record};
use tokio::sync::Notify;

use crate::committer::Committer;
use crate::error::OperatingError;
use crate::fold::damaged;
use crate::ports::StoreError;
use crate::published::Receipt;
use crate::registry::GameRegistry;
use crate::settings::{GamesSettings, Ports};

/// What they lean on, and who of them is awake.
pub(crate) struct GamesInside {
    pub(crate) ports: Ports,
    pub(crate) settings: GamesSettings,
    pub(crate) committer: Committer,
    pub(crate) registry: GameRegistry,
    /// Rings when the first moment at which a sleeping game has something due may have changed.
    pub(crate) alarm: Notify,
}

/// What a game is woken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Somebody founds it.
    Found,
    /// Somebody sends.
    Use,
    /// Somebody reads. Where several nodes share the store, that needs no owner.
    Read,
    /// Something falls due; when that is done it may sleep again.
    Due,
}

/// How a writer goes on after a turn.
pub(crate) enum TurnEnd {
    /// Not at all.
    Asleep,
    /// With another claim, or as a reader.
    Again(Purpose),
}

impl GamesInside {
    pub(crate) async fn receipt_at(
        &self,
        game: &GameId,
        seq: EventSeq,
    ) -> Result<Receipt, OperatingError> {
        let events = self.ports.journal.events(game, seq, 1).await?;
        let open = events.first().ok_or_else(|| StoreError::Gap {
            game: game.clone(),
            seq,
        })?;
        let event = record::decode(open).map_err(|e| damaged(game, seq, e.into()))?;
        Ok(Receipt::of(&event))
    }

    /// Notes when a game that has no writer is next to be woken.
    pub(crate) fn sleeps(&self, game: &GameId, next_due: Option<Moment>) {
        self.registry.sleeps(game, next_due);
        self.alarm.notify_one();
    }
}
