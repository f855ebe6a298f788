//! Places of which nobody takes all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate_runtime::ports::JobFailed;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places of which everybody, or every game, has so many at most.
pub(super) struct Shares {
    each: usize,
    of: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Shares {
    pub(super) fn new(each: usize) -> Self {
        Self {
            each,
            of: Mutex::default(),
        }
    }

    /// The share of somebody, or of a game.
    pub(super) fn of(&self, whose: &str) -> Arc<Semaphore> {
        let mut shares = locked(&self.of);
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let share = shares.entry(whose.to_owned());
        Arc::clone(share.or_insert_with(|| Arc::new(Semaphore::new(self.each))))
    }

    /// Waits for a place of somebody's share.
    pub(super) async fn place(&self, whose: &str) -> Result<OwnedSemaphorePermit, JobFailed> {
        self.of(whose).acquire_owned().await.map_err(closed)
    }
}

/// Nobody closes these.
pub(super) fn closed(error: impl std::fmt::Display) -> JobFailed {
    JobFailed::NotStarted(error.to_string())
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code under these locks can leave what they hold half-changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_takes_all_places() {
        let shares = Shares::new(2);
        let one = |whose| shares.of(whose).try_acquire_owned();
        let (first, second) = (one("anna"), one("anna"));
        assert!(first.is_ok() && second.is_ok());
        assert!(one("anna").is_err(), "the others are left to others");
        assert!(one("bert").is_ok());
        drop(first);
        assert!(one("anna").is_ok());
    }
}
