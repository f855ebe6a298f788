//! What is asked for with each page, as it was read last, for as long as nobody has written since.
//!
//! One process owns the file and one connection writes, so an answer cannot grow old unnoticed: [`crate::writer`] counts.

use std::hash::Hash;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use quorate_kernel::digest::Digest;
use quorate_kernel::{GameId, Moment, PlayerId};
use quorate_runtime::ports::{Account, AccountId, ShownUpTo};

/// How many bytes of answers of one sort are kept.
const ROOM: u64 = 4 << 20;

/// About how long an answer is, in bytes, with what is kept around it.
const COMMON: u64 = 256;

/// An answer, and how often somebody had written when it was asked for.
#[derive(Clone)]
struct Answer<T> {
    turn: u64,
    told: T,
}

/// An account with a session, and until when that holds if nobody writes.
#[derive(Clone)]
pub(crate) struct SignedIn {
    pub(crate) account: Account,
    /// When it was asked for.
    pub(crate) from: Moment,
    /// From when on it no longer holds.
    pub(crate) until: Moment,
}

/// Of one account in one game.
type OfSeat = (AccountId, GameId);

/// Whom an account plays in a game, if anybody.
#[derive(Clone, Copy)]
pub(crate) struct Seated(pub(crate) Option<PlayerId>);

/// Answers of three sorts.
pub(crate) struct Remembered {
    sessions: Cache<Digest, Answer<SignedIn>, ByBytes>,
    seats: Cache<OfSeat, Answer<Seated>, ByBytes>,
    shown: Cache<OfSeat, Answer<ShownUpTo>, ByBytes>,
}

impl Default for Remembered {
    fn default() -> Self {
        Self {
            sessions: room(),
            seats: room(),
            shown: room(),
        }
    }
}

impl Remembered {
    /// Whose session it is, if that is known and holds at a moment.
    pub(crate) fn session(&self, turn: Option<u64>, of: Digest, now: Moment) -> Option<Account> {
        let known = holding(&self.sessions, turn, &of)?;
        (known.from <= now && now < known.until).then_some(known.account)
    }

    /// Notes it.
    pub(crate) fn note_session(&self, turn: Option<u64>, of: Digest, told: SignedIn) {
        note(&self.sessions, turn, of, told);
    }

    /// Whom an account plays in a game, if that is known.
    pub(crate) fn seat(&self, turn: Option<u64>, of: &OfSeat) -> Option<Seated> {
        holding(&self.seats, turn, of)
    }

    /// Notes it.
    pub(crate) fn note_seat(&self, turn: Option<u64>, of: OfSeat, told: Seated) {
        note(&self.seats, turn, of, told);
    }

    /// What an account was shown of a game, if that is known.
    pub(crate) fn shown(&self, turn: Option<u64>, of: &OfSeat) -> Option<ShownUpTo> {
        holding(&self.shown, turn, of)
    }

    /// Notes it.
    pub(crate) fn note_shown(&self, turn: Option<u64>, of: OfSeat, told: ShownUpTo) {
        note(&self.shown, turn, of, told);
    }
}

/// What somebody was told when as much was written as now. Nothing while somebody writes: then there is no turn.
fn holding<K: Eq + Hash, T: Clone>(
    kept: &Cache<K, Answer<T>, ByBytes>,
    turn: Option<u64>,
    of: &K,
) -> Option<T>
where
    ByBytes: Weighter<K, Answer<T>>,
{
    let turn = turn?;
    let answer = kept.get(of)?;
    (answer.turn == turn).then_some(answer.told)
}

fn note<K: Eq + Hash, T: Clone>(
    kept: &Cache<K, Answer<T>, ByBytes>,
    turn: Option<u64>,
    of: K,
    told: T,
) where
    ByBytes: Weighter<K, Answer<T>>,
{
    if let Some(turn) = turn {
        kept.insert(of, Answer { turn, told });
    }
}

fn room<K: Eq + Hash, T: Clone>() -> Cache<K, Answer<T>, ByBytes>
where
    ByBytes: Weighter<K, Answer<T>>,
{
    let items = usize::try_from(ROOM / COMMON).unwrap_or(usize::MAX);
    Cache::with_weighter(items, ROOM, ByBytes)
}

/// Weighs answers by their bytes.
#[derive(Clone, Copy)]
struct ByBytes;

impl Weighter<Digest, Answer<SignedIn>> for ByBytes {
    fn weight(&self, _: &Digest, kept: &Answer<SignedIn>) -> u64 {
        let account = &kept.told.account;
        let texts = [account.mail.as_ref(), account.password.as_ref()];
        let texts = texts.into_iter().flatten().map(String::len);
        COMMON + (account.name.len() + texts.sum::<usize>()) as u64
    }
}

impl Weighter<OfSeat, Answer<Seated>> for ByBytes {
    fn weight(&self, of: &OfSeat, _: &Answer<Seated>) -> u64 {
        COMMON + of.1.as_str().len() as u64
    }
}

impl Weighter<OfSeat, Answer<ShownUpTo>> for ByBytes {
    fn weight(&self, of: &OfSeat, kept: &Answer<ShownUpTo>) -> u64 {
        // A place in the tree, the text's own head and what the allocator adds.
        let words = kept.told.by_word().keys().map(|word| word.len() + 64);
        COMMON + (of.1.as_str().len() + words.sum::<usize>()) as u64
    }
}
