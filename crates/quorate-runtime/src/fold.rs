//! From a log to a state: the chain is checked, the effects are folded, the seals are opened.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_kernel::effect::Effect;
use quorate_kernel::event::Event;
use quorate_kernel::record;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId};

use crate::blocking::blocking;
use crate::error::OperatingError;
use crate::fault::{LogFault, Wrong};
use crate::judge::Head;
use crate::ports::{GameRow, Journal, Seals, Snapshot};
use crate::shared_texts;
use crate::walk::{LogChunk, LogWork, Walk};

/// The chain of a log, checked link by link.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    head: Head,
}

impl Chain {
    /// A chain that goes on after `head`.
    pub fn after(head: Head) -> Self {
        Self { head }
    }

    /// The last event so far.
    pub fn head(&self) -> Head {
        self.head
    }

    /// Takes in the next event by its open part; its seals stay closed.
    pub fn follow(&mut self, open: &[u8]) -> Result<Event, LogFault> {
        let seq = self.head.seq.next();
        let fault = |what: Wrong| LogFault { seq, what };
        let event = record::decode(open).map_err(|e| fault(e.into()))?;
        // Invariant: the writer checked the same three when it wrote the event.
        if event.seq != seq {
            return Err(fault(Wrong::Number(event.seq)));
        }
        if event.previous != self.head.hash {
            return Err(fault(Wrong::Link));
        }
        if event.at < self.head.at {
            return Err(fault(Wrong::Time));
        }
        self.head = Head {
            seq,
            hash: record::hash(open),
            at: event.at,
        };
        Ok(event)
    }
}

/// A state that grows with a log.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The state so far.
    pub state: State,
    /// The log so far.
    pub chain: Chain,
}

impl Fold {
    /// Before the first event.
    pub fn start() -> Self {
        Self {
            state: State::default(),
            chain: Chain::after(Head::START),
        }
    }

    /// Takes in the next event by its open part, and gives it.
    pub fn follow(&mut self, open: &[u8]) -> Result<Event, LogFault> {
        let mut chain = self.chain;
        let event = chain.follow(open)?;
        self.take_in(&event, chain)?;
        Ok(event)
    }

    /// Takes in an event that goes to the end of a chain. Where it does not fit, the fold is of no more use.
    ///
    /// Effect by effect and not all or none: to be able to go back, all tables would have to be shared with what was
    /// before, and each change would copy what it touches.
    pub(crate) fn take_in(&mut self, event: &Event, chain: Chain) -> Result<(), LogFault> {
        let mut effects = event.steps.iter().map(|step| &step.effect);
        let taken = effects.try_for_each(|effect| self.state.apply(effect));
        taken.map_err(|mismatch| LogFault {
            seq: event.seq,
            what: mismatch.into(),
        })?;
        self.chain = chain;
        Ok(())
    }
}

impl LogWork for Fold {
    fn take(&mut self, chunk: &LogChunk) -> Result<(), LogFault> {
        let mut opens = chunk.opens.iter();
        opens.try_for_each(|open| self.follow(open).map(drop))
    }
}

/// A game as it stands in the store.
#[derive(Clone, Debug)]
pub struct OpenedGame {
    /// What the store knows of it.
    pub row: GameRow,
    /// Its state, with every seal open whose content is there.
    pub state: State,
    /// The event of the snapshot it was folded on from; 0 where there was none.
    pub snapshot: EventSeq,
    /// How many seals of the state stay closed because their content was forgotten.
    pub closed_count: usize,
}

/// The state of a game at the end of its log.
pub async fn open(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
) -> Result<OpenedGame, OperatingError> {
    let row = journal.game(game).await?.filter(|row| row.whole);
    let Some(row) = row else {
        return Err(OperatingError::NoGame(game.clone()));
    };
    let (fold, snapshot) = fold_to(journal, game, row.head.seq).await?;
    // Invariant: the store notes a log's end in the transaction that appends to it.
    if (fold.chain.head.seq, fold.chain.head.hash) != (row.head.seq, row.head.hash) {
        return Err(damaged(game, fold.chain.head.seq, Wrong::End));
    }
    let (state, closed_count) = unseal(seals, fold.state).await?;
    Ok(OpenedGame {
        row,
        state,
        snapshot,
        closed_count,
    })
}

/// The state of a game as it was after an event of its past, or at its end where that came earlier.
pub async fn state_at(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
    seq: EventSeq,
) -> Result<(State, Head), OperatingError> {
    let (fold, _) = fold_to(journal, game, seq).await?;
    let (state, _) = unseal(seals, fold.state).await?;
    Ok((state, fold.chain.head))
}

/// Some events of the past by their numbers, in the order in which they are asked for. Those that are not there are left out.
///
/// # Errors
/// Fails where the store cannot be read, or where what it keeps is no event.
pub async fn events_of(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
    wanted: &[EventSeq],
) -> Result<Vec<Event>, OperatingError> {
    let read = read_events(journal, seals, game, wanted).await?;
    let by_seq: BTreeMap<EventSeq, Event> = read
        .into_iter()
        .map(|read| (read.event.seq, read.event))
        .collect();
    let events = wanted.iter().filter_map(|seq| by_seq.get(seq));
    Ok(events.cloned().collect())
}

/// An event of the past as it was read.
#[derive(Clone, Debug)]
pub struct ReadEvent {
    /// The event, with every seal open whose content is there.
    pub event: Event,
    /// How many bytes it took to keep, its texts among them.
    pub bytes: usize,
}

/// Some events of the past by their numbers, in the order of the log. Those that lie near each other are read in one go.
///
/// # Errors
/// Fails where the store cannot be read, or where what it keeps is no event.
pub async fn read_events(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
    wanted: &[EventSeq],
) -> Result<Vec<ReadEvent>, OperatingError> {
    /// Across how many events that nobody asked for it is quicker to read on than to ask again.
    const NEAR: u64 = 16;
    const AT_ONCE: usize = 256;
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut read = Vec::with_capacity(wanted.len());
    for near in wanted.chunk_by(|one, next| next.0 - one.0 <= NEAR) {
        for some in near.chunks(AT_ONCE) {
            let (Some(first), Some(last)) = (some.first(), some.last()) else {
                continue;
            };
            let count = usize::try_from(last.0 - first.0 + 1).unwrap_or(usize::MAX);
            let opens = journal.events(game, *first, count).await?;
            let events = with_seals(seals, game, *first, &opens).await?;
            read.extend(
                events
                    .into_iter()
                    .filter(|read| some.binary_search(&read.event.seq).is_ok()),
            );
        }
    }
    Ok(read)
}

/// Up to `event_count` events one after another, the first being number `from`, with every seal open whose content is there.
pub async fn events_from(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
    from: EventSeq,
    event_count: usize,
) -> Result<Vec<Event>, OperatingError> {
    let opens = journal.events(game, from, event_count).await?;
    let read = with_seals(seals, game, from, &opens).await?;
    Ok(read.into_iter().map(|read| read.event).collect())
}

/// The whole log, with every seal open whose content is there.
pub async fn whole_log(
    journal: &dyn Journal,
    seals: &dyn Seals,
    game: &GameId,
) -> Result<Vec<Event>, OperatingError> {
    const CHUNK: usize = 256;
    let mut events: Vec<Event> = Vec::new();
    loop {
        let from = EventSeq(events.len() as u64 + 1);
        let opens = journal.events(game, from, CHUNK).await?;
        let read = with_seals(seals, game, from, &opens).await?;
        events.extend(read.into_iter().map(|read| read.event));
        if opens.len() < CHUNK {
            return Ok(events);
        }
    }
}

/// Events one after another, the first being number `from`, with every seal open whose content is there.
pub(crate) async fn with_seals(
    seals: &dyn Seals,
    game: &GameId,
    from: EventSeq,
    opens: &[Vec<u8>],
) -> Result<Vec<ReadEvent>, OperatingError> {
    let read = |(seq, open): (u64, &Vec<u8>)| {
        let event = record::decode(open).map_err(|e| damaged(game, EventSeq(seq), e.into()))?;
        let bytes = open.len();
        Ok(ReadEvent { event, bytes })
    };
    let events: Result<Vec<ReadEvent>, OperatingError> = (from.0..).zip(opens).map(read).collect();
    let mut events = events?;
    let closed = |read: &mut ReadEvent| record::restore(&mut read.event, &|_| None);
    let digests: Vec<_> = events.iter_mut().flat_map(closed).collect();
    let found = seals.find(&digests).await?;
    for read in &mut events {
        let sealed = Cell::new(0);
        record::restore(&mut read.event, &|digest| {
            let content = found.get(&digest)?;
            sealed.set(sealed.get() + content.bytes.len());
            Some(content.clone())
        });
        read.bytes += sealed.get();
    }
    Ok(events)
}

/// Folds a log from its nearest snapshot up to an event; seals stay closed.
async fn fold_to(
    journal: &dyn Journal,
    game: &GameId,
    to: EventSeq,
) -> Result<(Fold, EventSeq), OperatingError> {
    let mut fold = Fold::start();
    if let Some(snapshot) = journal.snapshot_before(game, to).await?
        && let Some(state) = blocking(move || from_snapshot(&snapshot)).await?
    {
        fold = state;
    }
    let snapshot = fold.chain.head.seq;
    let walk = Walk {
        journal,
        seals: None,
        game,
        to,
    };
    match walk.go(snapshot, fold, &mut |_| {}).await? {
        (fold, None) => Ok((fold, snapshot)),
        (_, Some(fault)) => Err(OperatingError::Damaged {
            game: game.clone(),
            fault,
        }),
    }
}

/// The state of a snapshot; none where it is damaged or of an unknown version, for then the log is folded anew.
fn from_snapshot(snapshot: &Snapshot) -> Option<Fold> {
    let readable = record::hash(&snapshot.open) == snapshot.digest;
    let effects = readable.then(|| record::decode_state(&snapshot.open).ok())??;
    Some(Fold {
        state: State::fold(&effects).ok()?,
        chain: Chain::after(snapshot.head),
    })
}

/// Opens every seal of a state whose content is there. Gives also how many stay closed.
///
/// Only what the state holds now is looked up, which for an old game is little of what was ever written.
pub async fn unseal(seals: &dyn Seals, state: State) -> Result<(State, usize), OperatingError> {
    let (mut effects, mut wanted) = blocking(move || {
        let mut effects = state.effects();
        let wanted = record::restore_effects(&mut effects, &|_| None);
        (effects, wanted)
    })
    .await?;
    wanted.sort_unstable();
    wanted.dedup();
    let found = seals.find(&wanted).await?;
    blocking(move || {
        let mut closed =
            record::restore_effects(&mut effects, &|digest| found.get(&digest).cloned());
        closed.sort_unstable();
        closed.dedup();
        shared_texts::share(&mut effects);
        let state = fold_own(&effects);
        (state, closed.len())
    })
    .await
}

fn fold_own(effects: &[Effect]) -> State {
    State::fold(effects).expect("the effects of a state make that state again")
}

pub(crate) fn damaged(game: &GameId, seq: EventSeq, what: Wrong) -> OperatingError {
    OperatingError::Damaged {
        game: game.clone(),
        fault: LogFault { seq, what },
    }
}

/// A snapshot of a state.
pub(crate) fn snapshot_of(state: &State, head: Head) -> Snapshot {
    let open = record::encode_state(state);
    Snapshot {
        head,
        digest: record::hash(&open),
        open,
    }
}

/// Takes a snapshot and keeps it.
pub(crate) async fn keep_snapshot(
    journal: Arc<dyn Journal>,
    game: GameId,
    state: State,
    head: Head,
) -> Result<(), OperatingError> {
    let snapshot = blocking(move || snapshot_of(&state, head)).await?;
    Ok(journal.put_snapshot(&game, &snapshot).await?)
}
