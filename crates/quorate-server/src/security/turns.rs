//! Whose turn it is to have a password worked on.

use std::sync::Arc;

use quorate_kernel::Span;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::security::password::AT_ONCE;
use crate::security::rate::TooOften;

/// How many may wait for their turn; whoever comes then is sent away.
const WAITING_MAX: usize = 30;

/// When whoever is sent away may come again.
const AGAIN_AFTER: Span = Span(5_000);

/// Whose turn it is to have a password worked on.
pub struct Turns {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE + WAITING_MAX)),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

/// A turn, as long as it is held.
pub struct Turn {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl Turns {
    /// Waits for a turn; none where the server is closing.
    ///
    /// # Errors
    /// Fails where too many wait already.
    pub async fn wait(&self) -> Result<Option<Turn>, TooOften> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| TooOften {
            retry_after_ms: u64::try_from(AGAIN_AFTER.0).unwrap_or(0),
        })?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok();
        Ok(turn.map(|turn| Turn {
            _place: place,
            _turn: turn,
        }))
    }
}
