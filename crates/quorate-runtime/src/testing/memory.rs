//! A store in memory, whose appends can be made to fail or to wait.

mod index;
mod search;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use quorate_kernel::command::Actor;
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use tokio::sync::{Semaphore, oneshot, watch};

use crate::judge::Head;
use crate::ports::{
    Batch, ClaimFor, ClaimedGame, Epoch, GameRow, Journal, Lease, Outage, Seals, Snapshot,
    StoreError,
};

/// A store in memory.
pub struct Memory {
    kept: Mutex<MemoryContents>,
    /// One permit for each append that may go on.
    gate: Semaphore,
    /// How many appends came to the gate.
    begun: watch::Sender<usize>,
}

#[derive(Default)]
struct MemoryContents {
    games: BTreeMap<GameId, MemoryGame>,
    seals: HashMap<Digest, SealBytes>,
    forgotten: BTreeSet<Digest>,
    beat: Option<Moment>,
    outages: Vec<Outage>,
    removed: BTreeMap<GameId, Moment>,
    fail_next: Option<StoreError>,
    /// For what whoever looks next for a game waits.
    held_row: Option<oneshot::Receiver<()>>,
    /// The games of each append that was made, in order.
    appends: Vec<Vec<GameId>>,
    index: BTreeMap<GameId, index::MemoryIndex>,
}

struct MemoryGame {
    row: GameRow,
    events: Vec<Vec<u8>>,
    receipts: BTreeMap<(Actor, Name), EventSeq>,
    snapshots: BTreeMap<EventSeq, Snapshot>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
            begun: watch::Sender::default(),
        }
    }
}

impl Memory {
    /// Makes the next append fail.
    pub fn fail_next(&self, error: StoreError) {
        self.kept().fail_next = Some(error);
    }

    /// Makes appends wait until [`Memory::let_through`].
    pub fn hold(&self) {
        self.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Waits until so many appends have begun, those that wait included.
    pub async fn begun(&self, append_count: usize) {
        let mut begun = self.begun.subscribe();
        // The sender lives as long as this store.
        drop(begun.wait_for(|count| *count >= append_count).await);
    }

    /// Lets so many appends go on.
    pub fn let_through(&self, append_count: usize) {
        self.gate.add_permits(append_count);
    }

    /// Makes whoever looks next for a game wait with what they found, until something is sent.
    pub fn hold_next_row(&self) -> oneshot::Sender<()> {
        let (release, held) = oneshot::channel();
        self.kept().held_row = Some(held);
        release
    }

    /// The games whose batches each append held.
    pub fn appends(&self) -> Vec<Vec<GameId>> {
        self.kept().appends.clone()
    }

    /// Changes the open part of an event behind everybody's back.
    pub fn damage(&self, game: &GameId, seq: EventSeq, change: impl FnOnce(&mut Vec<u8>)) {
        let mut kept = self.kept();
        let index = usize::try_from(seq.0 - 1).expect("a test's log fits into memory");
        let events = kept.games.get_mut(game).map(|g| &mut g.events);
        change(&mut events.expect("the test knows its games")[index]);
    }

    fn kept(&self) -> MutexGuard<'_, MemoryContents> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn in_game<T>(
        &self,
        game: &GameId,
        read: impl FnOnce(&mut MemoryGame) -> T,
    ) -> Result<T, StoreError> {
        let mut kept = self.kept();
        let found = kept.games.get_mut(game);
        found
            .map(read)
            .ok_or_else(|| StoreError::NoGame { game: game.clone() })
    }
}

#[async_trait]
impl Journal for Memory {
    async fn claim(&self, _: &GameId, _: ClaimFor) -> Result<ClaimedGame, StoreError> {
        let epoch = Epoch(1);
        Ok(ClaimedGame::Ours(Lease { epoch, term: 0 }))
    }

    async fn release(&self, _: &GameId, _: Epoch) -> Result<(), StoreError> {
        Ok(())
    }

    async fn games(&self) -> Result<Vec<GameRow>, StoreError> {
        let kept = self.kept();
        let rows = kept.games.values().map(|game| game.row.clone());
        let is_there = |row: &GameRow| row.whole && !kept.removed.contains_key(&row.game);
        Ok(rows.filter(is_there).collect())
    }

    async fn game(&self, game: &GameId) -> Result<Option<GameRow>, StoreError> {
        let (row, held) = {
            let mut kept = self.kept();
            let there = kept.games.get(game);
            let there = there.filter(|_| !kept.removed.contains_key(game));
            let row = there.map(|game| game.row.clone());
            (row, kept.held_row.take())
        };
        if let Some(held) = held {
            // A test that ends lets everybody go on.
            drop(held.await);
        }
        Ok(row)
    }

    async fn append(&self, batches: &[Batch]) -> Result<(), StoreError> {
        self.begun.send_modify(|count| *count += 1);
        let Ok(permit) = self.gate.acquire().await else {
            return Err(StoreError::SyncFailed);
        };
        permit.forget();
        let mut kept = self.kept();
        if let Some(error) = kept.fail_next.take() {
            return Err(error);
        }
        for batch in batches {
            check(batch, kept.games.get(&batch.game))?;
        }
        kept.appends
            .push(batches.iter().map(|b| b.game.clone()).collect());
        for batch in batches {
            for seal in batch.events.iter().flat_map(|e| &e.seals) {
                if !kept.forgotten.contains(&seal.digest) {
                    kept.seals.insert(seal.digest, seal.clone());
                }
            }
            write(batch, &mut kept.games);
        }
        Ok(())
    }

    async fn events(
        &self,
        game: &GameId,
        from: EventSeq,
        event_count: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let skipped = usize::try_from(from.0.saturating_sub(1)).unwrap_or(usize::MAX);
        self.in_game(game, |game| {
            let events = game.events.iter().skip(skipped);
            events.take(event_count).cloned().collect()
        })
    }

    async fn receipts(
        &self,
        game: &GameId,
        keys: &[(Actor, Name)],
    ) -> Result<Vec<Option<EventSeq>>, StoreError> {
        self.in_game(game, |game| {
            let seqs = keys.iter().map(|key| game.receipts.get(key).copied());
            seqs.collect()
        })
    }

    async fn put_snapshot(&self, game: &GameId, snapshot: &Snapshot) -> Result<(), StoreError> {
        self.in_game(game, |game| {
            let seq = snapshot.head.seq;
            game.snapshots.insert(seq, snapshot.clone());
        })
    }

    async fn snapshot_before(
        &self,
        game: &GameId,
        at_most: EventSeq,
    ) -> Result<Option<Snapshot>, StoreError> {
        self.in_game(game, |game| {
            let newest = game.snapshots.range(..=at_most).next_back();
            newest.map(|(_, snapshot)| snapshot.clone())
        })
    }

    async fn unveil(&self, game: &GameId) -> Result<(), StoreError> {
        self.in_game(game, |game| game.row.whole = true)
    }

    async fn discard(&self, game: &GameId) -> Result<(), StoreError> {
        let mut kept = self.kept();
        if kept.games.get(game).is_some_and(|game| !game.row.whole) {
            kept.games.remove(game);
        }
        Ok(())
    }

    async fn set_removed(&self, game: &GameId, at: Option<Moment>) -> Result<bool, StoreError> {
        let mut kept = self.kept();
        if !kept.games.get(game).is_some_and(|game| game.row.whole) {
            return Ok(false);
        }
        match at {
            Some(at) => kept.removed.insert(game.clone(), at),
            None => kept.removed.remove(game),
        };
        Ok(true)
    }

    async fn removed(&self) -> Result<Vec<(GameId, Moment)>, StoreError> {
        Ok(self.kept().removed.clone().into_iter().collect())
    }

    async fn beat(&self, at: Moment) -> Result<(), StoreError> {
        self.kept().beat = Some(at);
        Ok(())
    }

    async fn last_beat(&self) -> Result<Option<Moment>, StoreError> {
        Ok(self.kept().beat)
    }

    async fn note_outage(&self, outage: Outage) -> Result<(), StoreError> {
        self.kept().outages.push(outage);
        Ok(())
    }

    async fn outages(&self, after: Moment) -> Result<Vec<Outage>, StoreError> {
        let kept = self.kept();
        let later = kept.outages.iter().filter(|outage| outage.until > after);
        Ok(later.copied().collect())
    }
}

fn check(batch: &Batch, game: Option<&MemoryGame>) -> Result<(), StoreError> {
    let founds = batch.after == Head::START;
    match game {
        Some(_) if founds => Err(StoreError::GameExists {
            game: batch.game.clone(),
        }),
        None if !founds => Err(StoreError::NoGame {
            game: batch.game.clone(),
        }),
        Some(game) if game.row.head != batch.after => Err(StoreError::HeadMoved {
            game: batch.game.clone(),
        }),
        Some(_) | None => Ok(()),
    }
}

fn write(batch: &Batch, games: &mut BTreeMap<GameId, MemoryGame>) {
    let arrival = batch.arrival.clone();
    let game = games
        .entry(batch.game.clone())
        .or_insert_with(|| MemoryGame {
            row: GameRow {
                game: batch.game.clone(),
                head: batch.head,
                next_due: None,
                whole: arrival.is_none(),
                secret: arrival.and_then(|arrival| arrival.secret),
            },
            events: Vec::new(),
            receipts: BTreeMap::new(),
            snapshots: BTreeMap::new(),
        });
    game.row.head = batch.head;
    game.row.next_due = batch.next_due;
    for event in &batch.events {
        game.events.push(event.open.clone());
        if event.has_receipt() {
            let key = (event.actor, event.key.clone());
            game.receipts.insert(key, event.seq);
        }
    }
}

#[async_trait]
impl Seals for Memory {
    async fn find(&self, digests: &[Digest]) -> Result<HashMap<Digest, SealBytes>, StoreError> {
        let kept = self.kept();
        let found = digests.iter().filter_map(|digest| kept.seals.get(digest));
        Ok(found.map(|seal| (seal.digest, seal.clone())).collect())
    }

    async fn forget(&self, digests: &[Digest]) -> Result<usize, StoreError> {
        let mut kept = self.kept();
        kept.forgotten.extend(digests);
        kept.index
            .values_mut()
            .for_each(|index| index.forget(digests));
        let dropped = digests.iter().filter(|d| kept.seals.remove(d).is_some());
        Ok(dropped.count())
    }
}
