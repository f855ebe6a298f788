//! How many workers are at work at a time, and who is next.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use quorate_runtime::ports::JobFailed;
use tokio::sync::oneshot;

use super::shares::{closed, locked};

/// How many are remembered who have had a place.
const SERVED_MAX: usize = 1_000;

/// How many workers may be at work. Those who lent a place come first: they have waited already, and are nearly done. Then comes the one
/// with the fewest places, and among equals the one served longest ago, so that nobody waits behind all that somebody else asks for.
pub(super) struct Slots(Arc<Mutex<SlotLine>>);

/// A place for a worker that is at work, until it is dropped.
pub(super) struct TakenSlot {
    line: Arc<Mutex<SlotLine>>,
    who: String,
}

struct SlotLine {
    free: usize,
    /// Those who wait, in the order in which they came.
    waiting: VecDeque<SlotWaiter>,
    /// How many places each has.
    held: HashMap<String, usize>,
    /// Which of all places that were given was each one's last.
    served: HashMap<String, u64>,
    /// How many were given.
    count: u64,
}

/// Somebody who waits for a place.
struct SlotWaiter {
    who: String,
    wanted: SlotFor,
    gives: oneshot::Sender<TakenSlot>,
}

/// Who wants a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SlotFor {
    /// A job that begins.
    New,
    /// A job that lent its place.
    Returning,
}

impl Slots {
    pub(super) fn new(free: usize) -> Self {
        Self(Arc::new(Mutex::new(SlotLine {
            free,
            waiting: VecDeque::new(),
            held: HashMap::new(),
            served: HashMap::new(),
            count: 0,
        })))
    }

    /// Waits for a place.
    pub(super) async fn place(&self, wanted: SlotFor, who: &str) -> Result<TakenSlot, JobFailed> {
        let who = who.to_owned();
        let comes = {
            let mut line = locked(&self.0);
            if line.free > 0 {
                line.free -= 1;
                line.gives(&who);
                let line = Arc::clone(&self.0);
                return Ok(TakenSlot { line, who });
            }
            let (gives, comes) = oneshot::channel();
            line.waiting.push_back(SlotWaiter { who, wanted, gives });
            comes
        };
        comes.await.map_err(closed)
    }
}

impl SlotLine {
    /// Notes that somebody gets a place.
    fn gives(&mut self, who: &str) {
        *self.held.entry(who.to_owned()).or_default() += 1;
        self.count += 1;
        if self.served.len() >= SERVED_MAX {
            self.served.clear();
        }
        self.served.insert(who.to_owned(), self.count);
    }

    /// Notes that somebody has one place less.
    fn gives_back(&mut self, who: &str) {
        let left = self.held.remove(who).unwrap_or_default().saturating_sub(1);
        if left > 0 {
            self.held.insert(who.to_owned(), left);
        }
    }

    /// The next of those who still wait.
    fn next(&mut self) -> Option<SlotWaiter> {
        self.waiting.retain(|waiter| !waiter.gives.is_closed());
        let rank = |waiter: &SlotWaiter| match waiter.wanted {
            SlotFor::Returning => None,
            SlotFor::New => {
                let held = self.held.get(&waiter.who);
                let served = self.served.get(&waiter.who);
                Some((held.copied().unwrap_or(0), served.copied().unwrap_or(0)))
            }
        };
        let ranks = self.waiting.iter().map(rank).enumerate();
        let (nth, _) = ranks.min_by_key(|(_, rank)| *rank)?;
        self.waiting.remove(nth)
    }
}

impl Drop for TakenSlot {
    fn drop(&mut self) {
        let next = {
            let mut line = locked(&self.line);
            line.gives_back(&self.who);
            let next = line.next();
            match &next {
                Some(next) => line.gives(&next.who),
                None => line.free += 1,
            }
            next
        };
        if let Some(SlotWaiter { who, gives, .. }) = next {
            let line = Arc::clone(&self.line);
            // Where that one goes away in this moment, the place comes back, is dropped, and goes to the one behind.
            drop(gives.send(TakenSlot { line, who }));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn who_lent_a_place_has_one_before_those_who_came_meanwhile() {
        let slots = Slots::new(1);
        let first = slots.place(SlotFor::New, "anna").await;
        let mut gone = Box::pin(slots.place(SlotFor::Returning, "anna"));
        let mut new = Box::pin(slots.place(SlotFor::New, "anna"));
        let mut back = Box::pin(slots.place(SlotFor::Returning, "anna"));
        let all = [&mut gone, &mut new, &mut back];
        assert!(all.into_iter().all(|one| one.now_or_never().is_none()));
        drop(gone);
        drop(first);
        let why = "there is one place";
        assert!((&mut new).now_or_never().is_none(), "{why}");
        let back = back.now_or_never();
        assert!(back.is_some());
        assert!((&mut new).now_or_never().is_none(), "{why}");
        drop(back);
        assert!((&mut new).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_place_that_nobody_takes_is_free_again() {
        let slots = Slots::new(1);
        let first = slots.place(SlotFor::New, "anna").await;
        let mut waits = Box::pin(slots.place(SlotFor::New, "anna"));
        assert!((&mut waits).now_or_never().is_none());
        drop(first);
        // It has been handed over, and was not taken yet.
        drop(waits);
        assert!(slots.place(SlotFor::New, "anna").now_or_never().is_some());
    }

    #[tokio::test]
    async fn nobody_waits_behind_all_that_somebody_else_asks_for() {
        let slots = Slots::new(2);
        let anna = || Box::pin(slots.place(SlotFor::New, "anna"));
        let (first, _second) = (anna().await, anna().await);
        let mut annas = [anna(), anna()];
        for one in &mut annas {
            assert!(one.now_or_never().is_none());
        }
        let mut berts = [
            Box::pin(slots.place(SlotFor::New, "bert")),
            Box::pin(slots.place(SlotFor::New, "bert")),
        ];
        for one in &mut berts {
            assert!(one.now_or_never().is_none());
        }
        drop(first);
        let [mut bert, mut other] = berts;
        let place = (&mut bert).now_or_never();
        assert!(place.is_some(), "Anna has a place still");
        drop(place);
        let place = (&mut other).now_or_never();
        assert!(place.is_some(), "nor has Bert one any more");
        assert!((&mut annas[0]).now_or_never().is_none());
    }
}
