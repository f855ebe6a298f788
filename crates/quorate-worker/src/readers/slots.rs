//! How many workers are at work at a time, and who is next.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use quorate_runtime::ports::JobFailed;
use tokio::sync::oneshot;

use super::shares::{closed, locked};

/// How many workers may be at work. Whoever comes first has a place first, but those who lent theirs come before all others: they
/// have waited already, and are nearly done.
pub(super) struct Slots(Arc<Mutex<SlotLine>>);

/// A place for a worker that is at work, until it is dropped.
pub(super) struct Slot(Arc<Mutex<SlotLine>>);

struct SlotLine {
    free: usize,
    returning: VecDeque<oneshot::Sender<Slot>>,
    new: VecDeque<oneshot::Sender<Slot>>,
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
            returning: VecDeque::new(),
            new: VecDeque::new(),
        })))
    }

    /// Waits for a place.
    pub(super) async fn place(&self, wanted: SlotFor) -> Result<Slot, JobFailed> {
        let comes = {
            let mut line = locked(&self.0);
            if line.free > 0 {
                line.free -= 1;
                return Ok(Slot(Arc::clone(&self.0)));
            }
            let (gives, comes) = oneshot::channel();
            match wanted {
                SlotFor::New => line.new.push_back(gives),
                SlotFor::Returning => line.returning.push_back(gives),
            }
            comes
        };
        comes.await.map_err(closed)
    }
}

impl SlotLine {
    /// The next who still waits.
    fn next(&mut self) -> Option<oneshot::Sender<Slot>> {
        loop {
            let first = self.returning.pop_front();
            let first = first.or_else(|| self.new.pop_front())?;
            if !first.is_closed() {
                return Some(first);
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let next = {
            let mut line = locked(&self.0);
            let next = line.next();
            if next.is_none() {
                line.free += 1;
            }
            next
        };
        if let Some(next) = next {
            // Where that one goes away in this moment, the place comes back, is dropped, and goes to the one behind.
            drop(next.send(Slot(Arc::clone(&self.0))));
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
        let first = slots.place(SlotFor::New).await;
        let mut gone = Box::pin(slots.place(SlotFor::Returning));
        let mut new = Box::pin(slots.place(SlotFor::New));
        let mut back = Box::pin(slots.place(SlotFor::Returning));
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
        let first = slots.place(SlotFor::New).await;
        let mut waits = Box::pin(slots.place(SlotFor::New));
        assert!((&mut waits).now_or_never().is_none());
        drop(first);
        // It has been handed over, and was not taken yet.
        drop(waits);
        assert!(slots.place(SlotFor::New).now_or_never().is_some());
    }
}
