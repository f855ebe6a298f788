//! Games that cannot be followed now, and are left alone for a while: longer each time.

use std::collections::BTreeMap;

use quorate_kernel::{GameId, Moment, Span};

/// How long a game is left alone after it could not be followed once.
const FIRST: Span = Span::seconds(5);

/// How long at most.
const LONGEST: Span = Span::hours(1);

/// Since when is known of which games that they cannot be followed.
#[derive(Default)]
pub(super) struct HeldGames(BTreeMap<GameId, HeldGame>);

#[derive(Clone, Copy)]
struct HeldGame {
    wait: Span,
    until: Moment,
}

impl HeldGames {
    /// Whether a game is left alone.
    pub(super) fn is_held(&self, game: &GameId, now: Moment) -> bool {
        self.0.get(game).is_some_and(|held| now < held.until)
    }

    /// A game could not be followed; gives until when it is left alone.
    pub(super) fn hold(&mut self, game: &GameId, now: Moment) -> Moment {
        let before = self.0.get(game);
        let wait = before.map_or(FIRST, |held| Span(held.wait.0 * 4).min(LONGEST));
        let until = now + wait;
        self.0.insert(game.clone(), HeldGame { wait, until });
        until
    }

    /// A game was followed.
    pub(super) fn free(&mut self, game: &GameId) {
        self.0.remove(game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_left_alone_longer_each_time() {
        let (mut held, reef) = (HeldGames::default(), "reef".parse().unwrap());
        let mut now = Moment(0);
        let mut waits = Vec::new();
        for _ in 0..7 {
            assert!(!held.is_held(&reef, now));
            let until = held.hold(&reef, now);
            assert!(held.is_held(&reef, now) && held.is_held(&reef, until - Span(1)));
            waits.push((until - now).0 / 1_000);
            now = until;
        }
        assert_eq!(waits, [5, 20, 80, 320, 1_280, 3_600, 3_600]);
        held.free(&reef);
        assert_eq!(held.hold(&reef, now) - now, FIRST);
    }
}
