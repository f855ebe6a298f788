//! How much of what people send may be in memory at once, whoever they are and however many.
//!
//! A body waits for its turn before it is read, and holds its room until it is answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many bytes count as one.
const GRAIN: usize = 1024;

/// The largest of the small ones, in bytes: a vote, a comment, an action.
const SMALL_BYTES: usize = 64 * 1024;

/// How much room there is for small ones, and how much for all others, in bytes.
const ROOM_BYTES: usize = 32 * 1024 * 1024;

/// How much of it one account or address may have, in bytes: two of the longest forms.
const EACH_BYTES: usize = 4 * 1024 * 1024;

/// Room for bodies.
pub struct Bodies {
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
    shares: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl Default for Bodies {
    fn default() -> Self {
        let room = || Arc::new(Semaphore::new(ROOM_BYTES / GRAIN));
        Self {
            small: room(),
            large: room(),
            shares: Mutex::default(),
        }
    }
}

/// The room of one body, as long as it is held.
#[derive(Debug)]
pub struct BodyRoom {
    _share: OwnedSemaphorePermit,
    _room: OwnedSemaphorePermit,
}

/// Somebody has as much under way as they may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMuchAtOnce;

impl Bodies {
    /// Waits for room for a body of somebody's: so many bytes, and `limit` where it does not say how many.
    ///
    /// # Errors
    /// Fails where they have as much under way as they may.
    pub async fn room(
        &self,
        who: &str,
        bytes: Option<u64>,
        limit: usize,
    ) -> Result<BodyRoom, TooMuchAtOnce> {
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let bytes = bytes.unwrap_or(limit).min(limit);
        let count = u32::try_from(bytes.div_ceil(GRAIN)).unwrap_or(u32::MAX);
        let share = self.share(who).try_acquire_many_owned(count);
        let share = share.map_err(|_| TooMuchAtOnce)?;
        let is_small = bytes <= SMALL_BYTES;
        let room = if is_small { &self.small } else { &self.large };
        let room = Arc::clone(room).acquire_many_owned(count).await;
        Ok(BodyRoom {
            _share: share,
            _room: room.map_err(|_| TooMuchAtOnce)?,
        })
    }

    fn share(&self, who: &str) -> Arc<Semaphore> {
        let shares = self.shares.lock();
        let mut shares = shares.unwrap_or_else(PoisonError::into_inner);
        shares.retain(|_, share| Arc::strong_count(share) > 1);
        let share = shares.entry(who.to_owned());
        Arc::clone(share.or_insert_with(|| Arc::new(Semaphore::new(EACH_BYTES / GRAIN))))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const FORM: usize = 2 * 1024 * 1024;
    const VOTE: Option<u64> = Some(200);

    #[tokio::test]
    async fn nobody_has_more_under_way_than_their_share() {
        let bodies = Bodies::default();
        let held = [
            bodies.room("anna", Some(FORM as u64), FORM).await,
            bodies.room("anna", None, FORM).await,
        ];
        assert!(held.iter().all(Result::is_ok));
        let third = bodies.room("anna", VOTE, FORM).await;
        assert_eq!(third.err(), Some(TooMuchAtOnce));
        assert!(bodies.room("bert", VOTE, FORM).await.is_ok());
        drop(held);
        assert!(bodies.room("anna", VOTE, FORM).await.is_ok());
    }

    #[tokio::test]
    async fn many_together_wait_and_keep_nobody_from_a_vote() {
        let bodies = Bodies::default();
        let mut held = Vec::new();
        for nth in 0..ROOM_BYTES / FORM {
            let who = format!("account {nth}");
            held.push(bodies.room(&who, None, FORM).await.expect("room"));
        }
        let one_more = bodies.room("eve", None, FORM);
        assert!(one_more.now_or_never().is_none(), "it waits");
        for small in [VOTE, Some(0)] {
            let room = bodies.room("eve", small, FORM).now_or_never();
            assert!(room.is_some_and(|room| room.is_ok()));
        }
        held.pop();
        let one_more = bodies.room("eve", None, FORM).now_or_never();
        assert!(one_more.is_some_and(|room| room.is_ok()));
    }
}
