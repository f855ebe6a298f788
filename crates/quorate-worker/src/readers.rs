//! Workers that make what readers see: previews, tests and forecasts, which may take long, and pages.
//!
//! Each worker does one job at a time. Heavy jobs wait for each other in an order that is fair among those for whom they are:
//! of each, one runs or waits in line at a time, and as many run as there are cores but one. Pages of a game whose pages take
//! long are heavy jobs of that game, and pages of games that are not known to be quick leave a worker to the others. A worker whose job's time is over,
//! or for whose answer nobody waits any more, is killed, and another one takes its place.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::Answer;
use quorate_runtime::judge::Culprit;
use quorate_runtime::ports::{Job, JobFailed, Workers, WorkersStanding};
use tokio::net::UnixStream;
use tokio::sync::Semaphore;

use crate::culprit::OpenRuns;
use crate::frame;
use crate::judges::WorkerJudges;
use crate::pipe::{Near, Upward, WorkerTask, Working};
use crate::process::{Process, Program};
use pace::{GamePace, Paces};

mod pace;

/// How many jobs of one account or address may run and wait: heavy ones, and others.
const HEAVY_MAX: usize = 8;
const LIGHT_MAX: usize = 16;

/// How long the turn of a job stays taken whose reader went away.
const LEFT_TURN: Duration = Duration::from_secs(1);

/// After how many jobs a worker is replaced, so that what it has gathered is given back.
const JOBS_MAX: u32 = 256;

/// How many jobs more it does at most until the other one is ready, so that nobody waits for that.
const JOBS_BEYOND: u32 = 64;

/// How often a job is done again at most whose worker was killed.
const AGAIN_MAX: u32 = 3;

/// After which part of its time a worker says what it is at.
const TELLS_AFTER: u32 = 5;

/// How long a worker may take to take up a game's law before a job, compiled and checked.
const OPEN_WITHIN: Duration = Duration::from_secs(5);

/// Of how many games a new worker of pages takes up the laws before anybody asks for one: those that are read most.
const LAWS_AHEAD: usize = 4;

/// How much a job may ask of the server; no page comes near.
const ASKS_MAX: u32 = 100_000;

/// The workers of a server's readers.
pub struct Readers {
    near: Near,
    /// Those of the games, which are counted with them.
    judges: WorkerJudges,
    heavy: Arc<Pool>,
    light: Arc<Pool>,
    paces: Paces,
    /// How many pages of games that are not known to be quick are made at a time: the others have a worker left.
    unproven: Semaphore,
}

/// Workers of one kind.
struct Pool {
    program: Program,
    /// What each is told first.
    setup: Vec<u8>,
    /// How many jobs anybody may have here.
    jobs_max: usize,
    /// How many work at a time.
    slots: Semaphore,
    /// Who has a job here.
    turns: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    idle: Mutex<Vec<ReadersWorker>>,
    /// How many there are.
    count: AtomicUsize,
    /// How often contents were forgotten: a worker of before that must not be used any more.
    forgets: AtomicU64,
    stopped: AtomicU64,
    ended: AtomicU64,
    lacks: Mutex<Vec<String>>,
}

/// The turn of a job until it is done. Where its reader goes away before that it stays taken for a while: a worker is stopped then,
/// and nobody may have that done as often as they like.
struct WatchedTurn {
    turn: Weak<tokio::sync::Mutex<()>>,
    is_done: bool,
}

impl WatchedTurn {
    fn of(turn: &Arc<tokio::sync::Mutex<()>>) -> Self {
        Self {
            turn: Arc::downgrade(turn),
            is_done: false,
        }
    }
}

impl Drop for WatchedTurn {
    fn drop(&mut self) {
        // The table of turns has it at least.
        let turn = self.turn.upgrade().filter(|_| !self.is_done);
        if let (Some(turn), Ok(runtime)) = (turn, tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                tokio::time::sleep(LEFT_TURN).await;
                drop(turn);
            });
        }
    }
}

struct ReadersWorker {
    pool: Arc<Pool>,
    /// None while it is being dropped.
    process: Option<Process>,
    socket: UnixStream,
    /// Whose law it has at hand.
    game: Option<GameId>,
    jobs: u32,
    /// Whether another one is being made ready in its place.
    has_successor: bool,
    forgets: u64,
    /// How long it had had a processor when it began with its job.
    worked: Duration,
}

impl Drop for ReadersWorker {
    fn drop(&mut self) {
        self.pool.count.fetch_sub(1, Ordering::Relaxed);
        // The system may take its time to take a large process apart.
        let process = self.process.take();
        std::thread::spawn(move || drop(process));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code under these locks can leave what they hold half-changed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Readers {
    /// Workers of two programs, which are told `setup` before their first job. Answers their questions from `near`. The standing
    /// of the workers of games is told with theirs.
    pub fn new(
        near: Near,
        judges: WorkerJudges,
        heavy: Program,
        light: Program,
        setup: Vec<u8>,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let all_but_one = cores.saturating_sub(1).max(1);
        // One more than there are cores: it is for pages that are known to be quick.
        let pages = cores.max(2) + 1;
        Self {
            near,
            judges,
            heavy: Pool::new(heavy, setup.clone(), HEAVY_MAX, all_but_one),
            light: Pool::new(light, setup, LIGHT_MAX, pages),
            paces: Paces::default(),
            unproven: Semaphore::new(pages - 1),
        }
    }

    /// Starts a worker of each kind, so that the first job need not wait for one.
    ///
    /// # Errors
    /// Says why none can be started.
    pub async fn warm(&self) -> Result<(), JobFailed> {
        for pool in [&self.heavy, &self.light] {
            let worker = pool.start().await?;
            locked(&pool.idle).push(worker);
        }
        Ok(())
    }

    fn pools(&self) -> [&Arc<Pool>; 2] {
        [&self.heavy, &self.light]
    }
}

impl Pool {
    fn new(program: Program, setup: Vec<u8>, jobs_max: usize, slots: usize) -> Arc<Self> {
        Arc::new(Self {
            program,
            setup,
            jobs_max,
            slots: Semaphore::new(slots),
            turns: Mutex::default(),
            idle: Mutex::default(),
            count: AtomicUsize::new(0),
            forgets: AtomicU64::new(0),
            stopped: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            lacks: Mutex::default(),
        })
    }

    async fn start(self: &Arc<Self>) -> Result<ReadersWorker, JobFailed> {
        let not_started = |error: &dyn std::fmt::Display| JobFailed::NotStarted(error.to_string());
        let forgets = self.forgets.load(Ordering::SeqCst);
        let program = self.program.clone();
        let starting = tokio::task::spawn_blocking(move || program.start());
        let process = starting.await.map_err(|error| not_started(&error))?;
        let process = process.map_err(|error| not_started(&error))?;
        locked(&self.lacks).clone_from(&process.lacks);
        let socket = process.socket.try_clone().and_then(|socket| {
            socket.set_nonblocking(true)?;
            UnixStream::from_std(socket)
        });
        let mut socket = socket.map_err(|error| not_started(&error))?;
        let told = frame::send(&mut socket, &self.setup).await;
        told.map_err(|error| not_started(&error))?;
        self.count.fetch_add(1, Ordering::Relaxed);
        Ok(ReadersWorker {
            pool: Arc::clone(self),
            process: Some(process),
            socket,
            game: None,
            jobs: 0,
            has_successor: false,
            forgets,
            worked: Duration::ZERO,
        })
    }

    /// An idle worker, rather one that has the game's law at hand; else a new one.
    async fn take(self: &Arc<Self>, game: Option<&GameId>) -> Result<ReadersWorker, JobFailed> {
        let found = {
            let mut idle = locked(&self.idle);
            // Those that were killed as they waited are of no use to anybody.
            let count = idle.len();
            idle.retain_mut(|worker| !worker.is_gone());
            self.count_ended(count - idle.len());
            let at_hand = idle.iter().rposition(|worker| worker.game.as_ref() == game);
            let nth = at_hand.or_else(|| idle.len().checked_sub(1));
            nth.map(|nth| idle.remove(nth))
        };
        match found {
            Some(worker) => Ok(worker),
            None => self.start().await,
        }
    }

    fn count_ended(&self, count: usize) {
        let count = u64::try_from(count).unwrap_or_default();
        self.ended.fetch_add(count, Ordering::Relaxed);
    }

    /// A worker that has done its job is kept for the next one. True where it has done enough, and another is to take its place.
    fn put(&self, mut worker: ReadersWorker) -> bool {
        let is_due = worker.jobs >= JOBS_MAX && !worker.has_successor;
        worker.has_successor |= is_due;
        let is_fresh = worker.forgets == self.forgets.load(Ordering::SeqCst);
        if is_fresh && worker.jobs < JOBS_MAX + JOBS_BEYOND {
            locked(&self.idle).push(worker);
        }
        is_due
    }

    /// A new worker takes the place of those that have done enough.
    fn put_new(&self, worker: ReadersWorker) {
        locked(&self.idle).retain(|worker| !worker.has_successor);
        self.put(worker);
    }

    /// The turn of somebody: whoever holds it has a job running or in line for a slot.
    fn turn(&self, who: &str) -> Result<Arc<tokio::sync::Mutex<()>>, JobFailed> {
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

#[async_trait]
impl Workers for Readers {
    async fn run(&self, job: Job) -> Result<Vec<u8>, JobFailed> {
        let page_of = job.game.as_ref().filter(|_| !job.is_heavy);
        let pace_now = || page_of.map_or(GamePace::Quick, |game| self.paces.of(game));
        loop {
            let pace = pace_now();
            let slow = page_of.filter(|_| pace == GamePace::Slow);
            let is_heavy = job.is_heavy || slow.is_some();
            let pool = if is_heavy { &self.heavy } else { &self.light };
            let turn = match slow {
                Some(game) => pool.turn(&format!("game {game}"))?,
                None => pool.turn(&job.who)?,
            };
            let mut watched = WatchedTurn::of(&turn);
            let _mine = if is_heavy {
                Some(turn.lock_owned().await)
            } else {
                None
            };
            let _unproven = if pace == GamePace::Unknown {
                let turn = self.unproven.acquire().await;
                Some(turn.map_err(|error| JobFailed::NotStarted(error.to_string()))?)
            } else {
                None
            };
            let slot = pool.slots.acquire().await;
            let _slot = slot.map_err(|error| JobFailed::NotStarted(error.to_string()))?;
            // Many may have come at once, before anybody knew that the game's pages take long.
            let is_its_place = is_heavy || pace_now() != GamePace::Slow;
            let made = if is_its_place {
                Some(self.made(pool, &job).await)
            } else {
                None
            };
            watched.is_done = true;
            if let Some(made) = made {
                return made;
            }
        }
    }

    fn forget(&self) {
        for pool in self.pools() {
            pool.forgets.fetch_add(1, Ordering::SeqCst);
            locked(&pool.idle).clear();
        }
    }

    fn standing(&self) -> WorkersStanding {
        let mut standing = self.judges.standing();
        for pool in self.pools() {
            standing.count += pool.count.load(Ordering::Relaxed);
            standing.stopped += pool.stopped.load(Ordering::Relaxed);
            standing.ended += pool.ended.load(Ordering::Relaxed);
            standing.lacks.clone_from(&locked(&pool.lacks));
        }
        standing
    }
}

/// A job that makes nothing: its worker takes up a game's law.
fn only_its_law(game: GameId) -> Job {
    Job {
        request: Vec::new(),
        who: String::new(),
        game: Some(game),
        account: None,
        is_repair: false,
        time: OPEN_WITHIN,
        is_heavy: false,
        is_in_force: false,
    }
}

/// A job that was not done.
struct LostJob {
    failed: JobFailed,
    /// Whether its worker was lost by what it did.
    at_fault: bool,
}

impl LostJob {
    /// Whether somebody else ended its worker.
    fn was_merely_killed(&self) -> bool {
        self.failed == JobFailed::Ended && !self.at_fault
    }

    /// Whether it was at work all the time that it had.
    fn ran_away(&self) -> bool {
        matches!(self.failed, JobFailed::TimeOver(_)) && self.at_fault
    }
}

impl Readers {
    /// Has a job done, by another worker where one is lost by no fault of the job's.
    async fn made(&self, pool: &Arc<Pool>, job: &Job) -> Result<Vec<u8>, JobFailed> {
        // What is merely proposed is not put to sleep.
        let first = job.is_in_force.then_some(job.time / TELLS_AFTER);
        let (mut tells_after, mut tries) = (first.unwrap_or(Duration::MAX), 0);
        loop {
            let mut runs = OpenRuns::default();
            let lost = match self.tried(pool, job, tells_after, &mut runs).await {
                Ok(made) => return Ok(made),
                Err(lost) => lost,
            };
            let said_something = !runs.is_silent();
            if lost.at_fault && self.puts_to_sleep(job, runs, &lost.failed).await {
                let mut nothing = OpenRuns::default();
                let made = self.tried(pool, job, Duration::MAX, &mut nothing).await;
                return made.map_err(|lost| lost.failed);
            }
            // Once more, by a worker that says what it is at from the beginning. Where one is merely killed, the reader does not
            // notice.
            let is_settled = tries > 0 || (lost.ran_away() && said_something) || !job.is_in_force;
            if (is_settled && !lost.was_merely_killed()) || tries == AGAIN_MAX {
                return Err(lost.failed);
            }
            (tells_after, tries) = (Duration::ZERO, tries + 1);
        }
    }

    /// Has a worker do a job; one that does not is killed. What it is at after so long is noted in `runs`.
    async fn tried(
        &self,
        pool: &Arc<Pool>,
        job: &Job,
        tells_after: Duration,
        runs: &mut OpenRuns,
    ) -> Result<Vec<u8>, LostJob> {
        let taken = pool.take(job.game.as_ref()).await;
        let mut worker = taken.map_err(|failed| LostJob {
            failed,
            at_fault: true,
        })?;
        let failed = match worker.work(job, &self.near, tells_after, runs).await {
            Ok(made) => {
                self.note(job, worker.worked());
                worker.game.clone_from(&job.game);
                if pool.put(worker) {
                    self.replace(pool);
                }
                return Ok(made);
            }
            Err(failed) => failed,
        };
        if matches!(failed, JobFailed::TimeOver(_)) {
            self.note(job, job.time);
        }
        let over = matches!(failed, JobFailed::TimeOver(_));
        let counter = if over { &pool.stopped } else { &pool.ended };
        counter.fetch_add(1, Ordering::Relaxed);
        let (mut process, time, worked) = (worker.process.take(), job.time, worker.worked);
        let ending = tokio::task::spawn_blocking(move || {
            let process = process.as_mut();
            process.is_some_and(|process| process.is_at_fault(over, time, worked))
        });
        let at_fault = ending.await.unwrap_or(false);
        tracing::warn!(%failed, at_fault, who = job.who, "a worker is killed");
        drop(worker);
        self.replace(pool);
        Err(LostJob { failed, at_fault })
    }

    /// Has another worker ready in place of one that is gone. One of pages takes up the laws of quick games first: their next pages
    /// need not wait for that.
    fn replace(&self, pool: &Arc<Pool>) {
        let (pool, near) = (Arc::clone(pool), self.near.clone());
        let games = if Arc::ptr_eq(&pool, &self.light) {
            self.paces.quick(LAWS_AHEAD)
        } else {
            Vec::new()
        };
        tokio::spawn(async move {
            let ready = async {
                let mut worker = pool.start().await?;
                for game in games {
                    let (job, runs) = (only_its_law(game), &mut OpenRuns::default());
                    worker.work(&job, &near, Duration::MAX, runs).await?;
                }
                worker.jobs = 0;
                Ok::<_, JobFailed>(worker)
            };
            match ready.await {
                Ok(worker) => pool.put_new(worker),
                Err(error) => tracing::error!(%error, "a worker cannot be replaced"),
            }
        });
    }

    /// A page had a processor for so long.
    fn note(&self, job: &Job, worked: Duration) {
        if let (false, Some(game)) = (job.is_heavy, &job.game) {
            self.paces.note(game, worked);
        }
    }

    /// Puts the code to sleep that cost a worker, if it is some of the game's law. False where it is not known.
    async fn puts_to_sleep(&self, job: &Job, runs: OpenRuns, failed: &JobFailed) -> bool {
        let (true, Some(game)) = (job.is_in_force, &job.game) else {
            return false;
        };
        let Ok(newest) = self.near.games.snapshot(game).await else {
            return false;
        };
        let over = match failed {
            JobFailed::TimeOver(time) => Some(*time),
            _ => None,
        };
        let Some(clause) = runs.culprit(&newest.state, over, false) else {
            return false;
        };
        let why = failed.to_string();
        let culprit = Culprit { clause, why };
        let slept = self.near.games.put_to_sleep(game, culprit).await;
        slept.is_ok_and(|answer| matches!(answer, Answer::Kept(_)))
    }
}

impl ReadersWorker {
    /// Whether it has ended.
    fn is_gone(&mut self) -> bool {
        self.process.as_mut().is_none_or(Process::is_gone)
    }

    /// How long it has had a processor since it began with its job; nothing where the system does not tell.
    fn worked(&self) -> Duration {
        let now = self.process.as_ref().and_then(Process::worked);
        now.unwrap_or_default().saturating_sub(self.worked)
    }

    /// Has it do a job, and answers what it asks meanwhile. Whatever goes wrong, it is of no more use.
    async fn work(
        &mut self,
        job: &Job,
        near: &Near,
        tells_after: Duration,
        runs: &mut OpenRuns,
    ) -> Result<Vec<u8>, JobFailed> {
        self.jobs += 1;
        let ended = |_: std::io::Error| JobFailed::Ended;
        let mut left = OPEN_WITHIN;
        let task = WorkerTask {
            request: job.request.clone(),
            game: job.game.clone(),
            tells_after,
        };
        let task = frame::bytes(&task).map_err(ended)?;
        let sent = frame::send(&mut self.socket, &task);
        within(&mut left, job.time, sent).await?.map_err(ended)?;
        let (mut asked, mut working) = (0, Working::of(job));
        loop {
            let heard = frame::receive(&mut self.socket);
            let heard = within(&mut left, job.time, heard).await?.map_err(ended)?;
            match frame::message(&heard).map_err(ended)? {
                Upward::Done(made) => return Ok(made),
                Upward::Begins => {
                    left = left.min(job.time);
                    let worked = self.process.as_ref().and_then(Process::worked);
                    self.worked = worked.unwrap_or_default();
                }
                Upward::Runs(said) => runs.hear(said),
                Upward::Ask(ask) if asked < ASKS_MAX => {
                    asked += 1;
                    let answer = near.answer(&ask, &mut working).await.map_err(ended)?;
                    let told = frame::send(&mut self.socket, &answer);
                    within(&mut left, job.time, told).await?.map_err(ended)?;
                }
                Upward::Ask(_) => return Err(JobFailed::Ended),
            }
        }
    }
}

/// Waits for the worker, no longer than is left of its time.
#[expect(
    clippy::disallowed_methods,
    reason = "a deadline is kept by the clock: what is judged does not depend on it but by ending or not"
)]
async fn within<T>(
    left: &mut Duration,
    whole: Duration,
    what: impl Future<Output = T>,
) -> Result<T, JobFailed> {
    let before = Instant::now();
    let done = tokio::time::timeout(*left, what).await;
    *left = left.saturating_sub(before.elapsed());
    done.map_err(|_| JobFailed::TimeOver(whole))
}

#[cfg(test)]
mod tests;
