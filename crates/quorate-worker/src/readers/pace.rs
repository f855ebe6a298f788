//! How quick the pages of games are. Those of slow games are heavy jobs, those between quick and slow leave a core to the others, and
//! those of games that are not known to be quick leave a worker to them, so that nobody waits behind another game's pages.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quorate_kernel::GameId;

/// A page that has a processor for no longer is quick.
const QUICK: Duration = Duration::from_millis(40);

/// A page that has a processor for so long is slow.
const SLOW: Duration = Duration::from_millis(200);

/// The longest that is not slow.
const NOT_SLOW: Duration = Duration::from_millis(199);

/// A law that takes a processor for so long until it is compiled and checked is long. One of 4,500 lines takes about half as long.
const LONG_LAW: Duration = Duration::from_millis(150);

/// How long a game stays slow after its last slow page, and between the two after its last one of that sort, however quick others
/// are in between.
const SLOW_FOR: Duration = Duration::from_secs(30);
const MIDDLING_FOR: Duration = Duration::from_secs(10);

/// How long a game's pace is known after its last page.
const KNOWN_FOR: Duration = Duration::from_mins(10);

/// How quick a game's pages are; the later in this list, the more they wait for others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum GamePace {
    /// The last ones were.
    Quick,
    /// Nobody knows.
    Unknown,
    /// One was between quick and slow, not long ago.
    Middling,
    /// One was slow, not long ago.
    Slow,
}

/// How quick the pages of games are.
#[derive(Debug, Default)]
pub(super) struct Paces(Mutex<HashMap<GameId, KnownPace>>);

/// How quick the pages of one game are.
#[derive(Debug)]
struct KnownPace {
    pace: GamePace,
    /// When the last one was made.
    since: Instant,
    /// When the last slow one was made, and the last one between the two.
    slow_at: Option<Instant>,
    middling_at: Option<Instant>,
    /// How many were made, those of long ago counting for less.
    pages: u32,
}

impl Paces {
    fn known(&self) -> MutexGuard<'_, HashMap<GameId, KnownPace>> {
        // No code under the lock can leave it half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pace of a game.
    pub(super) fn of(&self, game: &GameId) -> GamePace {
        let known = self.known();
        let fresh = known.get(game).filter(|known| known.is_fresh(now()));
        fresh.map_or(GamePace::Unknown, |known| known.pace)
    }

    /// The quick games that are read most, no more than so many. What was read before counts for half from then on.
    pub(super) fn quick(&self, most: usize) -> Vec<GameId> {
        let mut known = self.known();
        let mut quick: Vec<_> = known
            .iter()
            .filter(|(_, known)| known.pace == GamePace::Quick)
            .map(|(game, known)| (known.pages, game.clone()))
            .collect();
        quick.sort_by(|one, other| other.cmp(one));
        quick.truncate(most);
        for known in known.values_mut() {
            known.pages /= 2;
        }
        quick.into_iter().map(|(_, game)| game).collect()
    }

    /// The law of a game took a processor for so long until it was at hand, and a page of it for so long then. A long law keeps a game
    /// from being quick, and makes it no slow one, since the next page may find it at hand.
    pub(super) fn note(&self, game: &GameId, law: Duration, page: Duration) {
        let with_law = if law >= LONG_LAW {
            NOT_SLOW
        } else {
            Duration::ZERO
        };
        self.note_at(game, page.max(with_law), now());
    }

    fn note_at(&self, game: &GameId, worked: Duration, now: Instant) {
        let mut known = self.known();
        let before = known.get(game).filter(|known| known.is_fresh(now));
        let (mut slow_at, mut middling_at) =
            before.map_or((None, None), |known| (known.slow_at, known.middling_at));
        if worked >= SLOW {
            slow_at = Some(now);
        } else if worked > QUICK {
            middling_at = Some(now);
        }
        let is_within =
            |at: Option<Instant>, time| at.is_some_and(|at| now.duration_since(at) < time);
        let page = KnownPace {
            pace: if is_within(slow_at, SLOW_FOR) {
                GamePace::Slow
            } else if is_within(middling_at, MIDDLING_FOR) {
                GamePace::Middling
            } else {
                GamePace::Quick
            },
            since: now,
            slow_at,
            middling_at,
            pages: before.map_or(1, |known| known.pages.saturating_add(1)),
        };
        if !known.contains_key(game) {
            known.retain(|_, known| known.is_fresh(now));
        }
        known.insert(game.clone(), page);
    }
}

impl KnownPace {
    fn is_fresh(&self, now: Instant) -> bool {
        now.duration_since(self.since) < KNOWN_FOR
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
    fn a_game_stays_slow_for_a_while_however_quick_other_pages_of_it_are() {
        let game: GameId = "reef".parse().unwrap();
        let paces = Paces::default();
        assert_eq!(paces.of(&game), GamePace::Unknown, "nobody has read it yet");
        let start = now();
        let pace_after = |worked, seconds| {
            paces.note_at(&game, worked, start + Duration::from_secs(seconds));
            paces.of(&game)
        };
        assert_eq!(pace_after(QUICK, 0), GamePace::Quick);
        assert_eq!(pace_after(QUICK * 2, 1), GamePace::Middling);
        assert_eq!(pace_after(SLOW, 2), GamePace::Slow);
        assert_eq!(pace_after(QUICK, 3), GamePace::Slow);
        assert_eq!(pace_after(SLOW, 20), GamePace::Slow);
        assert_eq!(pace_after(QUICK, 40), GamePace::Slow, "20 s are not long");
        assert_eq!(pace_after(QUICK, 51), GamePace::Quick);
        assert_eq!(pace_after(SLOW / 2, 60), GamePace::Middling);
        assert_eq!(pace_after(QUICK, 69), GamePace::Middling, "nor are 9");
        assert_eq!(pace_after(QUICK, 71), GamePace::Quick);
    }

    #[test]
    fn a_law_that_takes_long_keeps_a_game_from_being_quick_and_makes_it_no_slow_one() {
        let game: GameId = "reef".parse().unwrap();
        let paces = Paces::default();
        paces.note(&game, LONG_LAW / 2, QUICK);
        assert_eq!(paces.of(&game), GamePace::Quick);
        paces.note(&game, SLOW * 3, QUICK);
        assert_eq!(paces.of(&game), GamePace::Middling);
        paces.note(&game, Duration::ZERO, SLOW);
        assert_eq!(paces.of(&game), GamePace::Slow);
    }

    #[test]
    fn the_quick_games_that_are_read_most_come_first() {
        let paces = Paces::default();
        let [reef, moor, fen, dune] =
            ["reef", "moor", "fen", "dune"].map(|game| game.parse::<GameId>().unwrap());
        for _ in 0..4 {
            paces.note(&fen, Duration::ZERO, QUICK);
            paces.note(&moor, Duration::ZERO, SLOW);
        }
        for game in [&reef, &dune, &dune] {
            paces.note(game, Duration::ZERO, QUICK);
        }
        assert_eq!(paces.quick(2), [fen.clone(), dune.clone()]);
        for _ in 0..2 {
            paces.note(&dune, Duration::ZERO, QUICK);
        }
        let why = "two of now count for more than four of before";
        assert_eq!(paces.quick(1), [dune], "{why}");
    }
}
