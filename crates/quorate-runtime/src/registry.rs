//! Which games are awake, which sleep until when, and who listens.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate_kernel::{GameId, Moment};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::AbortHandle;

use crate::error::OperatingError;
use crate::mail::WriterMail;
use crate::ports::{Lease, NodeRow};
use crate::published::{Notice, Published};

/// How many commands may wait for one game before their senders wait for room.
const MAIL_MAX: usize = 1_024;

/// How many notices a listener may fall behind.
const NOTICES_MAX: usize = 256;

/// One lock around what is looked at briefly and never across a wait.
pub(crate) struct GameRegistry(Mutex<RegistryLists>);

struct RegistryLists {
    closed: bool,
    awake: BTreeMap<GameId, Arc<Slot>>,
    asleep: BTreeSet<(Moment, GameId)>,
    streams: BTreeMap<GameId, broadcast::Sender<Notice>>,
    all: broadcast::Sender<Notice>,
    running: Vec<AbortHandle>,
    /// How often contents of seals may have been dropped on other nodes.
    forgotten: watch::Sender<u64>,
}

/// A game that has a writer.
pub(crate) struct Slot {
    pub(crate) inbox: mpsc::Sender<WriterMail>,
    standing: watch::Receiver<WriterStanding>,
    /// When somebody last sent or read, in milliseconds.
    used_at: AtomicI64,
    /// Whether the store may hold more by now than what is published, for an append was not answered yet.
    is_appending: AtomicBool,
}

/// How far a writer has come.
#[derive(Clone)]
pub(crate) enum WriterStanding {
    /// It asks who owns its game.
    Waking,
    /// It owns the game, and opens it.
    Opening,
    /// It takes commands, or follows somebody who does.
    Awake(Arc<Published>, NodeRole),
    /// It could not go on.
    Stopped(OperatingError),
}

/// What a node is to a game.
#[derive(Clone, Debug)]
pub(crate) enum NodeRole {
    /// It alone writes to it.
    Owner(Lease),
    /// It reads along; where it is known who writes, commands go there.
    Follower(Option<Arc<NodeRow>>),
}

impl Slot {
    /// The newest state, once there is one.
    pub(crate) async fn awake(&self) -> Result<(Arc<Published>, NodeRole), OperatingError> {
        let mut standing = self.standing.clone();
        let seen = standing
            .wait_for(|standing| {
                !matches!(standing, WriterStanding::Waking | WriterStanding::Opening)
            })
            .await;
        match seen.as_deref() {
            Ok(WriterStanding::Awake(published, role)) => Ok((Arc::clone(published), role.clone())),
            Ok(WriterStanding::Stopped(error)) => Err(error.clone()),
            Ok(WriterStanding::Waking | WriterStanding::Opening) | Err(_) => {
                Err(OperatingError::Interrupted)
            }
        }
    }

    /// The node to which commands go, once it is known; none where they come here.
    pub(crate) async fn owner_elsewhere(&self) -> Result<Option<Arc<NodeRow>>, OperatingError> {
        let mut standing = self.standing.clone();
        let seen = standing
            .wait_for(|standing| !matches!(standing, WriterStanding::Waking))
            .await;
        match seen.as_deref() {
            Ok(WriterStanding::Awake(_, NodeRole::Follower(owner))) => Ok(owner.clone()),
            Ok(WriterStanding::Awake(_, NodeRole::Owner(_)) | WriterStanding::Opening) => Ok(None),
            Ok(WriterStanding::Stopped(error)) => Err(error.clone()),
            Ok(WriterStanding::Waking) | Err(_) => Err(OperatingError::Interrupted),
        }
    }

    /// Ends when the writer has ended.
    pub(crate) async fn gone(&self) {
        let mut standing = self.standing.clone();
        while standing.changed().await.is_ok() {}
    }

    pub(crate) fn touch(&self, now: Moment) {
        self.used_at.fetch_max(now.0, Ordering::Relaxed);
    }

    /// Notes that an append begins, or that what came of it is published.
    pub(crate) fn note_appending(&self, is_appending: bool) {
        self.is_appending.store(is_appending, Ordering::SeqCst);
    }

    /// Whether others may have read more from the store than what is published here.
    pub(crate) fn is_appending(&self) -> bool {
        self.is_appending.load(Ordering::SeqCst)
    }

    pub(crate) fn used_at(&self) -> Moment {
        Moment(self.used_at.load(Ordering::Relaxed))
    }
}

impl GameRegistry {
    pub(crate) fn new(dues: impl Iterator<Item = (Moment, GameId)>) -> Self {
        Self(Mutex::new(RegistryLists {
            closed: false,
            awake: BTreeMap::new(),
            asleep: dues.collect(),
            streams: BTreeMap::new(),
            all: broadcast::channel(NOTICES_MAX).0,
            running: Vec::new(),
            forgotten: watch::Sender::new(0),
        }))
    }

    fn lists(&self) -> MutexGuard<'_, RegistryLists> {
        // No code under the lock can leave the lists half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slot of a game that is awake.
    pub(crate) fn slot(&self, game: &GameId) -> Option<Arc<Slot>> {
        self.lists().awake.get(game).cloned()
    }

    /// The slot of a game; `start` is to put a writer into a new one.
    pub(crate) fn slot_or(
        &self,
        game: &GameId,
        used_at: Moment,
        start: impl FnOnce(Arc<Slot>, mpsc::Receiver<WriterMail>, watch::Sender<WriterStanding>),
    ) -> Result<Arc<Slot>, OperatingError> {
        let mut lists = self.lists();
        if let Some(slot) = lists.awake.get(game) {
            return Ok(Arc::clone(slot));
        }
        if lists.closed {
            return Err(OperatingError::Closing);
        }
        let (sender, inbox) = mpsc::channel(MAIL_MAX);
        let (publish, standing) = watch::channel(WriterStanding::Waking);
        let slot = Arc::new(Slot {
            inbox: sender,
            standing,
            used_at: AtomicI64::new(used_at.0),
            is_appending: AtomicBool::new(false),
        });
        lists.awake.insert(game.clone(), Arc::clone(&slot));
        lists.asleep.retain(|(_, sleeper)| sleeper != game);
        start(Arc::clone(&slot), inbox, publish);
        Ok(slot)
    }

    /// Takes a game's writer off the registry.
    pub(crate) fn leave(&self, game: &GameId, next_due: Option<Moment>) {
        let mut lists = self.lists();
        lists.awake.remove(game);
        lists.asleep.extend(next_due.map(|at| (at, game.clone())));
        // Streams nobody listens to are made again when somebody does.
        lists
            .streams
            .retain(|_, stream| stream.receiver_count() > 0);
    }

    /// Notes when a game without a writer is to be woken.
    pub(crate) fn sleeps(&self, game: &GameId, next_due: Option<Moment>) {
        let mut lists = self.lists();
        lists.asleep.retain(|(_, sleeper)| sleeper != game);
        if !lists.awake.contains_key(game) {
            lists.asleep.extend(next_due.map(|at| (at, game.clone())));
        }
    }

    /// Every game that has a writer or is followed.
    pub(crate) fn slots(&self) -> Vec<Arc<Slot>> {
        self.lists().awake.values().cloned().collect()
    }

    /// Whether somebody waits to hear of a game.
    pub(crate) fn is_heard(&self, game: &GameId) -> bool {
        let lists = self.lists();
        let stream = lists.streams.get(game);
        stream.is_some_and(|stream| stream.receiver_count() > 0)
    }

    /// The first moment at which a sleeping game has something due.
    pub(crate) fn first_due(&self) -> Option<Moment> {
        self.lists().asleep.first().map(|(at, _)| *at)
    }

    /// The sleeping games that have something due, first things first.
    pub(crate) fn due(&self, now: Moment) -> Vec<GameId> {
        let lists = self.lists();
        let due = lists.asleep.iter().take_while(|(at, _)| *at <= now);
        due.map(|(_, game)| game.clone()).collect()
    }

    pub(crate) fn subscribe(&self, game: &GameId) -> broadcast::Receiver<Notice> {
        let mut lists = self.lists();
        let stream = lists.streams.entry(game.clone());
        stream
            .or_insert_with(|| broadcast::channel(NOTICES_MAX).0)
            .subscribe()
    }

    pub(crate) fn subscribe_all(&self) -> broadcast::Receiver<Notice> {
        self.lists().all.subscribe()
    }

    /// Changes where contents of seals may have been dropped on another node.
    pub(crate) fn forgotten(&self) -> watch::Receiver<u64> {
        self.lists().forgotten.subscribe()
    }

    /// Says that they may have been.
    pub(crate) fn note_forgotten(&self) {
        let count_up = |turn: &mut u64| *turn = turn.wrapping_add(1);
        self.lists().forgotten.send_modify(count_up);
    }

    /// Tells everybody who listens.
    pub(crate) fn tell(&self, game: &GameId, notices: Vec<Notice>) {
        let lists = self.lists();
        let stream = lists.streams.get(game);
        for notice in notices {
            // Sending fails only where nobody listens.
            if let Some(stream) = stream {
                drop(stream.send(notice.clone()));
            }
            drop(lists.all.send(notice));
        }
    }

    /// Runs a task until the registry closes.
    pub(crate) fn keep_running(&self, task: impl Future<Output = ()> + Send + 'static) {
        let handle = tokio::spawn(task).abort_handle();
        self.lists().running.push(handle);
    }

    /// Lets nobody in any more, and gives those who are still here.
    pub(crate) fn close(&self) -> Vec<Arc<Slot>> {
        let mut lists = self.lists();
        lists.closed = true;
        lists.running.drain(..).for_each(|task| task.abort());
        lists.awake.values().cloned().collect()
    }
}
