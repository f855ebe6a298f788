//! Workers of one kind for readers: how many work at a time, which are free, and whose turn it is.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use quorate_kernel::GameId;
use quorate_runtime::ports::JobFailed;
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::shares::{Shares, locked};
use super::slots::Slots;
use crate::frame;
use crate::process::{Process, Program};

/// How long the turn of a job stays taken whose reader went away.
pub(super) const LEFT_TURN: Duration = Duration::from_secs(1);

/// After how many jobs a worker is replaced, so that what it has gathered is given back.
pub(super) const JOBS_MAX: u32 = 256;

/// How many jobs more it does at most until the other one is ready, so that nobody waits for that.
pub(super) const JOBS_BEYOND: u32 = 64;

/// How many workers may wait for games beside each that works.
const LENT_EACH: usize = 8;

/// How many commands of one account or address are under way at a time. In one game they go one after the other.
const COMMANDS_EACH: usize = 2;

/// Workers of one kind.
pub(super) struct Pool {
    program: Program,
    /// What each is told first.
    setup: Vec<u8>,
    /// How many jobs anybody may have here.
    jobs_max: usize,
    /// How many work at a time.
    pub(super) slots: Slots,
    /// How many of them for one account or address, or for one game: there is always one that others can have.
    pub(super) shares: Shares,
    /// How many wait for games beside them.
    pub(super) lent: Semaphore,
    /// How many commands one account or address has under way, and how many in one game.
    pub(super) commands: Shares,
    pub(super) commands_in_game: Shares,
    /// One is made ready at a time in place of those that are gone.
    pub(super) readies: Semaphore,
    /// How many of each sort are kept while nobody needs them.
    idle_max: usize,
    /// Who has a job here.
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    pub(super) idle: Mutex<Vec<ReadersWorker>>,
    /// How many there are.
    pub(super) count: AtomicUsize,
    /// How often contents were forgotten: a worker of before that must not be used any more.
    pub(super) forgets: AtomicU64,
    pub(super) stopped: AtomicU64,
    pub(super) ended: AtomicU64,
    pub(super) lacks: Mutex<Vec<String>>,
}

/// The turn of a job until it is done. Where its reader goes away before that it stays taken for a while: a worker is stopped then,
/// and nobody may have that done as often as they like.
pub(super) struct WatchedTurn {
    turn: Weak<tokio::sync::Mutex<()>>,
    /// The places of a command.
    pub(super) command: Option<[OwnedSemaphorePermit; 2]>,
    pub(super) is_done: bool,
}

/// Something stays taken for a while.
pub(super) fn stays_taken<T: Send + 'static>(what: T) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move {
            tokio::time::sleep(LEFT_TURN).await;
            drop(what);
        });
    }
}

impl WatchedTurn {
    pub(super) fn of(turn: &Arc<tokio::sync::Mutex<()>>) -> Self {
        Self {
            turn: Arc::downgrade(turn),
            command: None,
            is_done: false,
        }
    }
}

impl Drop for WatchedTurn {
    fn drop(&mut self) {
        // The table of turns has it at least.
        let turn = self.turn.upgrade().filter(|_| !self.is_done);
        if let Some(turn) = turn {
            stays_taken((turn, self.command.take()));
        }
    }
}

/// One of them.
pub(super) struct ReadersWorker {
    pub(super) pool: Arc<Pool>,
    /// None while it is being dropped.
    pub(super) process: Option<Process>,
    pub(super) socket: UnixStream,
    /// Whose law it has at hand.
    pub(super) game: Option<GameId>,
    pub(super) jobs: u32,
    /// Whether another one is being made ready in its place.
    pub(super) has_successor: bool,
    pub(super) forgets: u64,
    /// How long it had had a processor when it was told to begin with its job, when it had the game's law at hand, and when it was done.
    pub(super) began: Duration,
    pub(super) worked: Duration,
    pub(super) ended: Duration,
    /// Whether it stands back behind all others, which is for good.
    pub(super) stands_back: bool,
}

impl Drop for ReadersWorker {
    fn drop(&mut self) {
        self.pool.count.fetch_sub(1, Ordering::Relaxed);
        // The system may take its time to take a large process apart.
        let process = self.process.take();
        std::thread::spawn(move || drop(process));
    }
}

impl ReadersWorker {
    /// Whether it has ended.
    pub(super) fn is_gone(&mut self) -> bool {
        self.process.as_mut().is_none_or(Process::is_gone)
    }

    /// For how long it had a processor to take up the law, and for how long to do its job; nothing where the system does not tell.
    pub(super) fn took(&self) -> (Duration, Duration) {
        (
            self.worked.saturating_sub(self.began),
            self.ended.saturating_sub(self.worked),
        )
    }

    /// How long it has had a processor by now.
    pub(super) fn worked_by_now(&self) -> Duration {
        let now = self.process.as_ref().and_then(Process::worked);
        now.unwrap_or_default()
    }
}

impl Pool {
    pub(super) fn new(
        program: Program,
        setup: Vec<u8>,
        jobs_max: usize,
        slots: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            program,
            setup,
            jobs_max,
            slots: Slots::new(slots),
            shares: Shares::new(slots.saturating_sub(1).max(1)),
            lent: Semaphore::new(LENT_EACH * slots),
            commands: Shares::new(COMMANDS_EACH),
            commands_in_game: Shares::new(1),
            readies: Semaphore::new(1),
            idle_max: slots + 1,
            turns: Mutex::default(),
            idle: Mutex::default(),
            count: AtomicUsize::new(0),
            forgets: AtomicU64::new(0),
            stopped: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            lacks: Mutex::default(),
        })
    }

    /// A new worker, which may stand back behind all others.
    pub(super) async fn start(
        self: &Arc<Self>,
        stands_back: bool,
    ) -> Result<ReadersWorker, JobFailed> {
        let not_started = |error: &dyn std::fmt::Display| JobFailed::NotStarted(error.to_string());
        let forgets = self.forgets.load(Ordering::SeqCst);
        let program = self.program.clone();
        let starting = tokio::task::spawn_blocking(move || program.start());
        let process = starting.await.map_err(|error| not_started(&error))?;
        let process = process.map_err(|error| not_started(&error))?;
        locked(&self.lacks).clone_from(&process.lacks);
        if stands_back {
            process.stand_back();
        }
        let socket = process.socket.try_clone().and_then(|socket| {
            socket.set_nonblocking(true)?;
            UnixStream::from_std(socket)
        });
        let mut socket = socket.map_err(|error| not_started(&error))?;
        let told = frame::send(&mut socket, &self.setup).await;
        told.map_err(|error| not_started(&error))?;
        self.count.fetch_add(1, Ordering::Relaxed);
        let so_far = process.worked().unwrap_or_default();
        Ok(ReadersWorker {
            pool: Arc::clone(self),
            process: Some(process),
            socket,
            game: None,
            jobs: 0,
            has_successor: false,
            forgets,
            began: so_far,
            worked: so_far,
            ended: so_far,
            stands_back,
        })
    }

    /// An idle worker of a sort, rather one that has the game's law at hand; else a new one.
    pub(super) async fn take(
        self: &Arc<Self>,
        stands_back: bool,
        game: Option<&GameId>,
    ) -> Result<ReadersWorker, JobFailed> {
        let found = {
            let mut idle = locked(&self.idle);
            // Those that were killed as they waited are of no use to anybody.
            let count = idle.len();
            idle.retain_mut(|worker| !worker.is_gone());
            self.count_ended(count - idle.len());
            let last = |fits: &dyn Fn(&ReadersWorker) -> bool| {
                let fits =
                    |worker: &ReadersWorker| worker.stands_back == stands_back && fits(worker);
                idle.iter().rposition(fits)
            };
            let at_hand = last(&|worker| worker.game.as_ref() == game);
            let nth = at_hand.or_else(|| last(&|_| true));
            nth.map(|nth| idle.remove(nth))
        };
        match found {
            Some(worker) => Ok(worker),
            None => self.start(stands_back).await,
        }
    }

    fn count_ended(&self, count: usize) {
        let count = u64::try_from(count).unwrap_or_default();
        self.ended.fetch_add(count, Ordering::Relaxed);
    }

    /// A worker that has done its job is kept for the next one. True where it has done enough, and another is to take its place.
    pub(super) fn put(&self, mut worker: ReadersWorker) -> bool {
        let is_due = worker.jobs >= JOBS_MAX && !worker.has_successor;
        worker.has_successor |= is_due;
        let is_fresh = worker.forgets == self.forgets.load(Ordering::SeqCst);
        if is_fresh && worker.jobs < JOBS_MAX + JOBS_BEYOND {
            let mut idle = locked(&self.idle);
            let is_like = |other: &ReadersWorker| other.stands_back == worker.stands_back;
            if idle.iter().filter(|other| is_like(other)).count() >= self.idle_max {
                // Those that are used least stand first.
                let first = idle.iter().position(is_like);
                first.map(|nth| idle.remove(nth));
            }
            idle.push(worker);
        }
        is_due
    }

    /// A new worker takes the place of those that have done enough.
    pub(super) fn put_new(&self, worker: ReadersWorker) {
        let stands_back = worker.stands_back;
        let is_tired = |old: &ReadersWorker| old.has_successor && old.stands_back == stands_back;
        locked(&self.idle).retain(|old| !is_tired(old));
        self.put(worker);
    }

    /// Waits until somebody may send a command.
    pub(super) async fn command_of(
        &self,
        who: &str,
        game: Option<&GameId>,
    ) -> Result<[OwnedSemaphorePermit; 2], JobFailed> {
        let game = game.map(GameId::as_str).unwrap_or_default();
        let here = format!("{game} {who}");
        Ok([
            self.commands_in_game.place(&here).await?,
            self.commands.place(who).await?,
        ])
    }

    /// Whether none of a sort is idle.
    pub(super) fn is_short_of(&self, stands_back: bool) -> bool {
        let idle = locked(&self.idle);
        !idle.iter().any(|worker| worker.stands_back == stands_back)
    }

    /// The turn of somebody: whoever holds it has a job running or in line for a slot.
    pub(super) fn turn(&self, who: &str) -> Result<Arc<tokio::sync::Mutex<()>>, JobFailed> {
        let mut turns = locked(&self.turns);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        let turn = turns.entry(who.to_owned()).or_default();
        // One of them is the table's own.
        if Arc::strong_count(turn) > self.jobs_max {
            return Err(JobFailed::Busy);
        }
        Ok(Arc::clone(turn))
    }
}
