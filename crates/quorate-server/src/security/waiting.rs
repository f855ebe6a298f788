//! Connections on which nothing is asked: when all places are taken, the one that has waited longest makes room.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// Who waits for a head, longest first.
#[derive(Default)]
struct LongestFirst {
    came: u64,
    all: BTreeMap<u64, Arc<Notify>>,
}

/// The connections that wait for the head of a request.
#[derive(Clone, Default)]
pub(super) struct WaitingRoom(Arc<Mutex<LongestFirst>>);

impl WaitingRoom {
    /// Sends away whoever has waited longest; gives false where nobody waits.
    pub(super) fn make_room(&self) -> bool {
        let longest = self.lock().all.pop_first();
        longest.is_some_and(|(_, gone)| {
            gone.notify_one();
            true
        })
    }

    /// A place for a connection that has just come, and waits.
    pub(super) fn enter(&self) -> Arc<PlaceInLine> {
        let place = Arc::new(PlaceInLine {
            room: self.clone(),
            gone: Arc::default(),
            number: Mutex::default(),
            is_answered: AtomicBool::new(false),
        });
        place.wait();
        place
    }

    fn lock(&self) -> MutexGuard<'_, LongestFirst> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one connection has to do with the others that wait.
pub(super) struct PlaceInLine {
    room: WaitingRoom,
    gone: Arc<Notify>,
    /// As what it waits, if it does.
    number: Mutex<Option<u64>>,
    /// Whether all of an answer was handed over, which may still be on its way out.
    is_answered: AtomicBool,
}

impl PlaceInLine {
    /// Until it has to make room.
    pub(super) async fn gone(&self) {
        self.gone.notified().await;
    }

    /// A request has come.
    pub(super) fn go_on(&self) {
        if let Some(number) = self.number().take() {
            self.room.lock().all.remove(&number);
        }
    }

    /// All that was handed over is out.
    pub(super) fn flushed(&self) {
        if self.is_answered.swap(false, Ordering::Relaxed) {
            self.wait();
        }
    }

    fn wait(&self) {
        self.go_on();
        let mut room = self.room.lock();
        room.came += 1;
        let number = room.came;
        room.all.insert(number, Arc::clone(&self.gone));
        drop(room);
        *self.number() = Some(number);
    }

    fn number(&self) -> MutexGuard<'_, Option<u64>> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PlaceInLine {
    fn drop(&mut self) {
        self.go_on();
    }
}

/// The body of an answer, after which its connection waits again.
pub(super) struct Awaited {
    body: Body,
    place: Arc<PlaceInLine>,
}

impl Awaited {
    pub(super) fn new(body: Body, place: Arc<PlaceInLine>) -> Self {
        Self { body, place }
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.place.is_answered.store(true, Ordering::Relaxed);
    }
}

impl HttpBody for Awaited {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
