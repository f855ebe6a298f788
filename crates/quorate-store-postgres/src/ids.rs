//! The numbers of games, which never change.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use quorate_kernel::GameId;

/// The games' numbers that were looked up.
#[derive(Default)]
pub(crate) struct GameIds(Mutex<HashMap<GameId, i64>>);

impl GameIds {
    fn known(&self) -> MutexGuard<'_, HashMap<GameId, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, game: &GameId) -> Option<i64> {
        self.known().get(game).copied()
    }

    pub(crate) fn note(&self, game: &GameId, id: i64) {
        self.known().insert(game.clone(), id);
    }
}
