//! Games whose pages take long: theirs are heavy jobs from then on, so that other games' pages do not wait behind them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quorate_kernel::GameId;

/// A page that has a processor for so long is slow.
const SLOW: Duration = Duration::from_millis(200);

/// How long a game is known to be slow after its last slow page.
const KNOWN_FOR: Duration = Duration::from_mins(10);

/// Games whose pages take long, and since when that is known.
#[derive(Debug, Default)]
pub(super) struct SlowGames(Mutex<HashMap<GameId, Instant>>);

impl SlowGames {
    fn known(&self) -> MutexGuard<'_, HashMap<GameId, Instant>> {
        // No code under the lock can leave it half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a game is known to be slow.
    pub(super) fn has(&self, game: &GameId) -> bool {
        self.known().contains_key(game)
    }

    /// A page of a game had a processor for so long.
    pub(super) fn note(&self, game: &GameId, worked: Duration) {
        let now = now();
        let mut known = self.known();
        if worked >= SLOW {
            known.retain(|_, since| now.duration_since(*since) < KNOWN_FOR);
            known.insert(game.clone(), now);
        } else if worked < SLOW / 2 {
            known.remove(game);
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "only in which order pages are made depends on it"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_slow_from_a_slow_page_to_a_quick_one() {
        let game: GameId = "reef".parse().unwrap();
        let slow = SlowGames::default();
        slow.note(&game, SLOW / 2);
        assert!(!slow.has(&game));
        slow.note(&game, SLOW);
        slow.note(&game, SLOW * 3 / 4);
        assert!(slow.has(&game), "one that is nearly slow changes nothing");
        slow.note(&game, Duration::ZERO);
        assert!(!slow.has(&game));
    }
}
