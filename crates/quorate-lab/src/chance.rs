//! Chance that is the same for the same seed, on every machine and in every release.

use quorate_kernel::Name;
use quorate_kernel::tape::{Seed, SeedId};

/// A source of draws.
#[derive(Clone)]
pub(crate) struct Chance {
    seed: Seed,
    drawn: u64,
}

impl Chance {
    /// Draws that follow from a number.
    pub(crate) fn new(seed: u64) -> Self {
        let id = SeedId {
            player: None,
            key: Name::from(format!("simulation {seed}")),
        };
        Self {
            seed: Seed::derive(&[0; 32], &id),
            drawn: 0,
        }
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        self.drawn += 1;
        low - 1
            + self.seed.die(
                "draw",
                self.drawn,
                high.saturating_sub(low).saturating_add(1),
            )
    }

    /// A number from 0 to below `count`; 0 where that is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let high = i64::try_from(count).unwrap_or(i64::MAX);
        usize::try_from(self.between(0, high - 1)).unwrap_or(0)
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of several; none of none.
    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() {
            None
        } else {
            Some(from[self.below(from.len())].clone())
        }
    }

    /// One of several words.
    pub(crate) fn word(&mut self, from: &[&'static str]) -> &'static str {
        self.pick(from).unwrap_or("")
    }
}
