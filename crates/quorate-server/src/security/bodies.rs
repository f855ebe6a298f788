//! How much of what people send, and of what is sent to them, may be in memory at once, whoever they are and however many.
//!
//! What has come is counted, and not what somebody says will come, so that nobody takes room by promising. A little of everybody's
//! is free: those who send votes and comments never wait for those who fill the room.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use futures_util::StreamExt as _;
use http_body::{Frame, SizeHint};

use crate::security::rate::Who;

/// How much room there is, in bytes. What is made of a body takes some times as much.
const ROOM_BYTES: usize = 64 * 1024 * 1024;

/// How much one address may have under way, in bytes: eight of the longest forms.
const EACH_BYTES: usize = 16 * 1024 * 1024;

/// How much of that takes no room, in bytes: some votes, comments or actions.
const FREE_BYTES: usize = 16 * 1024;

/// How long answers are that take no room, in bytes.
const PAGE_BYTES: usize = 64 * 1024;

/// What is under way.
#[derive(Default)]
struct UnderWay {
    /// How much of the room is taken.
    taken: usize,
    /// How much is there from each address.
    of: HashMap<Who, usize>,
}

/// Room for bodies.
#[derive(Clone, Default)]
pub struct Bodies(Arc<Mutex<UnderWay>>);

/// What has come of one body, or waits to be taken. Its room is free again once this is dropped.
pub struct HeldBody {
    bodies: Bodies,
    who: Who,
    bytes: AtomicUsize,
    is_refused: AtomicBool,
}

impl Bodies {
    /// Nothing of a body yet.
    fn held(&self, address: IpAddr) -> HeldBody {
        HeldBody {
            bodies: self.clone(),
            who: Who::address(address),
            bytes: AtomicUsize::new(0),
            is_refused: AtomicBool::new(false),
        }
    }

    /// An answer to an address, which takes room until all of it is taken in or the reader is gone; none where there is no room for
    /// it. One that comes piece by piece, or is no longer than pages are, takes none.
    pub async fn answered(&self, body: Body, address: IpAddr) -> Option<Body> {
        let length = body.size_hint().exact().unwrap_or_default();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length <= PAGE_BYTES {
            return Some(body);
        }
        let held = self.held(address);
        // One that is longer than that leaves room for another.
        if !held.takes(length.min(EACH_BYTES / 2)) {
            return None;
        }
        let left = to_bytes(body, length).await.ok()?;
        Some(Body::new(HeldAnswer { left, _held: held }))
    }

    /// A body from an address that counts what comes of it, and ends where there is no room for more.
    pub fn counted(&self, body: Body, address: IpAddr) -> (Body, Arc<HeldBody>) {
        let held = Arc::new(self.held(address));
        let counts = Arc::clone(&held);
        let pieces = body.into_data_stream().map(move |piece| {
            let piece = piece?;
            if counts.takes(piece.len()) {
                return Ok(piece);
            }
            let full = io::Error::from(io::ErrorKind::QuotaExceeded);
            Err(axum::Error::new(full))
        });
        (Body::from_stream(pieces), held)
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        // No code under the lock can leave it half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    /// More has come from an address; false where there is no room for it.
    fn takes(&mut self, who: &Who, bytes: usize) -> bool {
        let before = self.of.get(who).copied().unwrap_or_default();
        let own = before + bytes;
        let taken = self.taken + charged(own) - charged(before);
        let fits = own <= EACH_BYTES && taken <= ROOM_BYTES;
        if fits {
            self.taken = taken;
            self.of.insert(who.clone(), own);
        }
        fits
    }

    /// That is no longer under way.
    fn gives_back(&mut self, who: &Who, bytes: usize) {
        let before = self.of.get(who).copied().unwrap_or_default();
        let own = before.saturating_sub(bytes);
        self.taken -= charged(before) - charged(own);
        if own == 0 {
            self.of.remove(who);
        } else {
            self.of.insert(who.clone(), own);
        }
    }
}

/// How much room so many bytes of one address take.
fn charged(bytes: usize) -> usize {
    bytes.saturating_sub(FREE_BYTES)
}

impl HeldBody {
    fn takes(&self, bytes: usize) -> bool {
        let fits = self.bodies.under_way().takes(&self.who, bytes);
        if fits {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        } else {
            self.is_refused.store(true, Ordering::Relaxed);
        }
        fits
    }

    /// Whether there was no room for all of it.
    pub fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }
}

/// A long answer, which goes out piece by piece: what is handed over at once counts as taken in.
struct HeldAnswer {
    left: Bytes,
    _held: HeldBody,
}

impl HttpBody for HeldAnswer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.left.len().min(PAGE_BYTES);
        let piece = self.left.split_to(length);
        Poll::Ready((length > 0).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.len() as u64)
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        let bytes = self.bytes.load(Ordering::Relaxed);
        self.bodies.under_way().gives_back(&self.who, bytes);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, StreamExt as _, stream};

    use super::*;

    const FORM: usize = 2 * 1024 * 1024;

    fn address(nth: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, nth])
    }

    /// A body of which so much comes, and then nothing for as long as somebody waits.
    async fn trickled(bodies: &Bodies, from: u8, bytes: usize) -> (Body, Arc<HeldBody>) {
        let begun = stream::iter([Ok::<_, io::Error>(Bytes::from(vec![b'x'; bytes]))]);
        let body = Body::from_stream(begun.chain(stream::pending()));
        let (body, held) = bodies.counted(body, address(from));
        let mut pieces = body.into_data_stream();
        let first = pieces.next().await.expect("a piece");
        assert_eq!(first.is_err(), held.is_refused());
        (Body::from_stream(pieces), held)
    }

    #[tokio::test]
    async fn nobody_has_more_under_way_than_their_share() {
        let bodies = Bodies::default();
        let mut all = Vec::new();
        for _ in 0..EACH_BYTES / FORM {
            all.push(trickled(&bodies, 1, FORM).await);
        }
        assert!(all.iter().all(|(_, held)| !held.is_refused()));
        let (_, one_more) = trickled(&bodies, 1, 1).await;
        assert!(one_more.is_refused());
        let (_, of_another) = trickled(&bodies, 2, FORM).await;
        assert!(!of_another.is_refused());
        all.pop();
        let (_, one_more) = trickled(&bodies, 1, FORM).await;
        assert!(!one_more.is_refused(), "there is room again");
    }

    #[tokio::test]
    async fn a_full_room_keeps_nobody_from_a_vote() {
        let bodies = Bodies::default();
        let mut all = Vec::new();
        for nth in 0..ROOM_BYTES / FORM {
            let from = u8::try_from(nth / 8).expect("few addresses");
            all.push(trickled(&bodies, from, FORM).await);
        }
        let (_, form) = trickled(&bodies, 100, FORM).await;
        assert!(form.is_refused());
        let (vote, held) = bodies.counted(Body::from("vote=for"), address(101));
        let vote = to_bytes(vote, FORM).now_or_never();
        assert!(vote.is_some_and(|vote| vote.is_ok()));
        drop((all, form, held));
        let under_way = bodies.under_way();
        assert_eq!((under_way.taken, under_way.of.len()), (0, 0));
    }

    #[tokio::test]
    async fn an_answer_takes_room_until_it_is_taken_in() {
        let bodies = Bodies::default();
        let answer = |from| bodies.answered(Body::from(vec![b'x'; FORM]), address(from));
        let mut all = Vec::new();
        for _ in 0..EACH_BYTES / FORM {
            all.push(answer(1).await);
        }
        assert!(all.iter().all(Option::is_some));
        assert!(answer(1).await.is_none() && answer(2).await.is_some());
        let one = all.pop().flatten().expect("a body");
        let length = one.size_hint().exact();
        assert_eq!(length, Some(FORM as u64), "it is known how long it is");
        let taken_in = to_bytes(one, FORM).await.expect("all of it");
        assert_eq!(taken_in.len(), FORM);
        let again = answer(1).await.expect("there is room again");
        let mut pieces = again.into_data_stream();
        pieces.next().await.expect("a piece").expect("no error");
        assert!(answer(1).await.is_none(), "most of it waits still");
        let short = bodies.answered(Body::from(vec![b'x'; PAGE_BYTES]), address(1));
        assert!(short.await.is_some());
        drop(pieces);
        drop(all);
        assert_eq!(bodies.under_way().of.len(), 0);
    }

    #[tokio::test]
    async fn what_is_promised_takes_no_room() {
        let bodies = Bodies::default();
        let promised = || Body::from_stream(stream::pending::<io::Result<Bytes>>());
        let held: Vec<_> = (0..1_000)
            .map(|_| bodies.counted(promised(), address(1)))
            .collect();
        assert_eq!(bodies.under_way().of.len(), 0);
        let (_, form) = trickled(&bodies, 1, FORM).await;
        assert!(!form.is_refused());
        drop(held);
    }
}
