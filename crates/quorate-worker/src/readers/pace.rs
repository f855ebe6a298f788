//! How quick the pages of games are. Those of slow games are heavy jobs, and those of games that are not known to be quick leave
//! a worker to the others, so that nobody waits behind another game's pages.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quorate_kernel::GameId;

/// A page that has a processor for no longer is quick.
const QUICK: Duration = Duration::from_millis(40);

/// A page that has a processor for so long is slow.
const SLOW: Duration = Duration::from_millis(200);

/// How long a game's pace is known after its last page.
const KNOWN_FOR: Duration = Duration::from_mins(10);

/// How quick a game's pages are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GamePace {
    /// The last one was.
    Quick,
    /// Nobody knows, or it is between the two.
    Unknown,
    /// One was slow, and none was much quicker since.
    Slow,
}

/// How quick the pages of games are, and since when that is known.
#[derive(Debug, Default)]
pub(super) struct Paces(Mutex<HashMap<GameId, (GamePace, Instant)>>);

impl Paces {
    fn known(&self) -> MutexGuard<'_, HashMap<GameId, (GamePace, Instant)>> {
        // No code under the lock can leave it half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pace of a game.
    pub(super) fn of(&self, game: &GameId) -> GamePace {
        let known = self.known().get(game).copied();
        let fresh = known.filter(|(_, since)| now().duration_since(*since) < KNOWN_FOR);
        fresh.map_or(GamePace::Unknown, |(pace, _)| pace)
    }

    /// The quick games whose pages were made last, no more than so many.
    pub(super) fn quick(&self, most: usize) -> Vec<GameId> {
        let known = self.known();
        let quick = known
            .iter()
            .filter(|(_, (pace, _))| *pace == GamePace::Quick);
        let mut quick: Vec<_> = quick
            .map(|(game, (_, since))| (*since, game.clone()))
            .collect();
        quick.sort_by_key(|(since, _)| std::cmp::Reverse(*since));
        quick.truncate(most);
        quick.into_iter().map(|(_, game)| game).collect()
    }

    /// A page of a game had a processor for so long.
    pub(super) fn note(&self, game: &GameId, worked: Duration) {
        let pace = match self.of(game) {
            _ if worked >= SLOW => GamePace::Slow,
            _ if worked <= QUICK => GamePace::Quick,
            GamePace::Slow if worked >= SLOW / 2 => GamePace::Slow,
            _ => GamePace::Unknown,
        };
        let now = now();
        let mut known = self.known();
        if !known.contains_key(game) {
            known.retain(|_, (_, since)| now.duration_since(*since) < KNOWN_FOR);
        }
        known.insert(game.clone(), (pace, now));
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
    fn a_game_is_slow_from_a_slow_page_to_a_quicker_one() {
        let game: GameId = "reef".parse().unwrap();
        let paces = Paces::default();
        assert_eq!(paces.of(&game), GamePace::Unknown, "nobody has read it yet");
        paces.note(&game, QUICK);
        assert_eq!(paces.of(&game), GamePace::Quick);
        paces.note(&game, QUICK * 2);
        assert_eq!(paces.of(&game), GamePace::Unknown);
        paces.note(&game, SLOW);
        paces.note(&game, SLOW * 3 / 4);
        let why = "one that is nearly slow changes nothing";
        assert_eq!(paces.of(&game), GamePace::Slow, "{why}");
        paces.note(&game, QUICK * 2);
        assert_eq!(paces.of(&game), GamePace::Unknown);
    }

    #[test]
    fn the_quick_games_are_those_whose_pages_were_made_last() {
        let paces = Paces::default();
        let games = ["reef", "moor", "fen", "dune"].map(|game| game.parse::<GameId>().unwrap());
        for (game, worked) in games.iter().zip([QUICK, SLOW, QUICK, QUICK]) {
            paces.note(game, worked);
        }
        let [_, _, fen, dune] = games;
        assert_eq!(paces.quick(2), [dune, fen]);
    }
}
