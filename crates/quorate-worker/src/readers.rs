//! Workers that make what readers see: previews, tests and forecasts, which may take long, and pages.
//!
//! Each worker does one job at a time. Heavy jobs wait for each other in an order that is fair among those for whom they are:
//! of each, one runs or waits in line at a time, and as many run as there are cores but one. Pages of a game whose pages take
//! long are heavy jobs of that game, and pages of games that are not known to be quick leave a worker to the others. Nobody takes
//! all workers, and no game does; a worker whose command is being judged counts for none. A worker whose job's time is over, or for
//! whose answer nobody waits any more, is killed, and another one takes its place.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use quorate_kernel::GameId;
use quorate_runtime::Answer;
use quorate_runtime::judge::Culprit;
use quorate_runtime::ports::{Job, JobFailed, JobSort, Workers, WorkersStanding};

use crate::culprit::OpenRuns;
use crate::frame;
use crate::judges::WorkerJudges;
use crate::patience::Patience;
use crate::pipe::{Near, Upward, WorkerTask, Working};
use crate::process::{Process, Program};
use pace::{GamePace, Paces};
use places::JobPlaces;
use pool::{Pool, ReadersWorker, WatchedTurn};
use shares::locked;
use slots::Slots;

mod pace;
mod places;
mod pool;
mod shares;
mod slots;

/// How many jobs of one account or address may run and wait: heavy ones, and others.
const HEAVY_MAX: usize = 8;
const LIGHT_MAX: usize = 16;

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
    unproven: Slots,
    /// How many of those are between quick and slow: the others have a core left.
    middling: Slots,
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
            unproven: Slots::new(pages - 1),
            middling: Slots::new(all_but_one),
        }
    }

    /// Starts a worker of each sort, so that the first job need not wait for one.
    ///
    /// # Errors
    /// Says why none can be started.
    pub async fn warm(&self) -> Result<(), JobFailed> {
        let (heavy, light) = (&self.heavy, &self.light);
        for (pool, stands_back) in [(heavy, true), (light, false), (light, true)] {
            let worker = pool.start(stands_back).await?;
            locked(&pool.idle).push(worker);
        }
        Ok(())
    }

    fn pools(&self) -> [&Arc<Pool>; 2] {
        [&self.heavy, &self.light]
    }
}

#[async_trait]
impl Workers for Readers {
    async fn run(&self, job: Job) -> Result<Vec<u8>, JobFailed> {
        let page_of = job.game.as_ref().filter(|_| job.sort != JobSort::Heavy);
        let pace_now = || page_of.map_or(GamePace::Quick, |game| self.paces.of(game));
        loop {
            let pace = pace_now();
            let slow = page_of.filter(|_| pace == GamePace::Slow);
            let is_heavy = job.sort == JobSort::Heavy || slow.is_some();
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
            if job.sort == JobSort::Command {
                let command = pool.command_of(&job.who, job.game.as_ref()).await?;
                watched.command = Some(command);
            }
            let of_its_pace: &[&Slots] = match pace {
                GamePace::Quick | GamePace::Slow => &[],
                GamePace::Unknown => &[&self.unproven],
                GamePace::Middling => &[&self.middling, &self.unproven],
            };
            let mut places = JobPlaces::take(pool, (&job.who, page_of), of_its_pace).await?;
            // Many may have come at once, before anybody knew how long the game's pages take.
            let is_its_place = is_heavy || pace_now() <= pace;
            let made = if is_its_place {
                let stands_back = is_heavy || pace != GamePace::Quick;
                Some(self.made((pool, stands_back), &job, &mut places).await)
            } else {
                None
            };
            places.is_over = true;
            watched.is_done = true;
            drop((places, watched));
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
        sort: JobSort::Page,
        is_in_force: false,
    }
}

/// A job whose reader may go away. Its worker is killed then, and another one is made ready, so that the next job need not wait.
struct LeftJob<'a> {
    readers: &'a Readers,
    pool: &'a Arc<Pool>,
    stands_back: bool,
    is_done: bool,
}

impl LeftJob<'_> {
    fn ends(mut self) {
        self.is_done = true;
    }
}

impl Drop for LeftJob<'_> {
    fn drop(&mut self) {
        let is_short = !self.is_done && self.pool.is_short_of(self.stands_back);
        if is_short && tokio::runtime::Handle::try_current().is_ok() {
            self.readers
                .replace(self.pool, self.stands_back, Replaces::Gone);
        }
    }
}

/// In place of which worker another one is made ready.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replaces {
    /// One that is gone.
    Gone,
    /// One that has done enough, and goes on until then.
    Tired,
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

    /// Whether its time was over without its worker having had a processor for that time.
    fn was_kept_waiting(&self) -> bool {
        matches!(self.failed, JobFailed::TimeOver(_)) && !self.at_fault
    }
}

impl Readers {
    /// Has a job done, by another worker where one is lost by no fault of the job's.
    async fn made(
        &self,
        workers: (&Arc<Pool>, bool),
        job: &Job,
        places: &mut JobPlaces<'_>,
    ) -> Result<Vec<u8>, JobFailed> {
        // What is merely proposed is not put to sleep.
        let first = job.is_in_force.then_some(job.time / TELLS_AFTER);
        let (mut tells_after, mut tries) = (first.unwrap_or(Duration::MAX), 0);
        loop {
            let mut runs = OpenRuns::default();
            let telling = (tells_after, &mut runs);
            let lost = match self.tried(workers, job, telling, places).await {
                Ok(made) => return Ok(made),
                Err(lost) => lost,
            };
            let said_something = !runs.is_silent();
            // Where many clauses share the time, the longest sleeps if the page comes at the second try neither.
            let blames_longest = tries > 0;
            if lost.at_fault
                && self
                    .puts_to_sleep(job, runs, &lost.failed, blames_longest)
                    .await
            {
                let mut nothing = OpenRuns::default();
                let telling = (Duration::MAX, &mut nothing);
                let made = self.tried(workers, job, telling, places).await;
                return made.map_err(|lost| lost.failed);
            }
            // Once more, by a worker that says what it is at from the beginning, unless the machine has too much to do anyway. Where
            // one is merely killed, the reader does not notice.
            let is_kept_waiting = lost.was_kept_waiting() && said_something;
            let is_settled = tries > 0 || is_kept_waiting || !job.is_in_force;
            if (is_settled && !lost.was_merely_killed()) || tries == AGAIN_MAX {
                return Err(lost.failed);
            }
            (tells_after, tries) = (Duration::ZERO, tries + 1);
        }
    }

    /// Has a worker do a job; one that does not is killed. What it is at after so long is noted in `runs`.
    async fn tried(
        &self,
        (pool, stands_back): (&Arc<Pool>, bool),
        job: &Job,
        telling: (Duration, &mut OpenRuns),
        places: &mut JobPlaces<'_>,
    ) -> Result<Vec<u8>, LostJob> {
        let left = LeftJob {
            readers: self,
            pool,
            stands_back,
            is_done: false,
        };
        let taken = pool.take(stands_back, job.game.as_ref()).await;
        let mut worker = taken.map_err(|failed| LostJob {
            failed,
            at_fault: true,
        })?;
        let worked = worker.work(job, &self.near, telling, Some(places)).await;
        left.ends();
        let failed = match worked {
            Ok(made) => {
                self.note(job, worker.took());
                worker.game.clone_from(&job.game);
                let has_left = worker.stands_back != stands_back;
                if pool.put(worker) {
                    self.replace(pool, stands_back, Replaces::Tired);
                } else if has_left {
                    self.replace(pool, stands_back, Replaces::Gone);
                }
                return Ok(made);
            }
            Err(failed) => failed,
        };
        if matches!(failed, JobFailed::TimeOver(_)) {
            // A page that waited for a processor is no slow one.
            worker.ended = worker.worked_by_now();
            self.note(job, worker.took());
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
        self.replace(pool, stands_back, Replaces::Gone);
        Err(LostJob { failed, at_fault })
    }

    /// Has another worker ready in place of one that is gone. One of pages takes up the laws of quick games first: their next pages
    /// need not wait for that.
    fn replace(&self, pool: &Arc<Pool>, stands_back: bool, which: Replaces) {
        let (pool, near) = (Arc::clone(pool), self.near.clone());
        let games = if Arc::ptr_eq(&pool, &self.light) && !stands_back {
            self.paces.quick(LAWS_AHEAD)
        } else {
            Vec::new()
        };
        tokio::spawn(async move {
            // Many may go at once; one that waits for the next job is enough.
            let _readies = pool.readies.acquire().await;
            if which == Replaces::Gone && !pool.is_short_of(stands_back) {
                return;
            }
            let ready = async {
                let mut worker = pool.start(stands_back).await?;
                for game in games {
                    let job = only_its_law(game);
                    let telling = (Duration::MAX, &mut OpenRuns::default());
                    worker.work(&job, &near, telling, None).await?;
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

    /// The law of a page's game took a processor for so long, and then the page.
    fn note(&self, job: &Job, (law, page): (Duration, Duration)) {
        if let (true, Some(game)) = (job.sort != JobSort::Heavy, &job.game) {
            self.paces.note(game, law, page);
        }
    }

    /// Puts the code to sleep that cost a worker, if it is some of the game's law. False where it is not known.
    async fn puts_to_sleep(
        &self,
        job: &Job,
        runs: OpenRuns,
        failed: &JobFailed,
        blames_longest: bool,
    ) -> bool {
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
        let Some(clause) = runs.culprit(&newest.state, over, blames_longest) else {
            return false;
        };
        let why = failed.to_string();
        let culprit = Culprit { clause, why };
        let slept = self.near.games.put_to_sleep(game, culprit).await;
        slept.is_ok_and(|answer| matches!(answer, Answer::Kept(_)))
    }
}

impl ReadersWorker {
    /// Has it do a job, and answers what it asks meanwhile. Whatever goes wrong, it is of no more use.
    async fn work(
        &mut self,
        job: &Job,
        near: &Near,
        (tells_after, runs): (Duration, &mut OpenRuns),
        mut places: Option<&mut JobPlaces<'_>>,
    ) -> Result<Vec<u8>, JobFailed> {
        self.jobs += 1;
        self.began = self.ended;
        let ended = |_: std::io::Error| JobFailed::Ended;
        let mut left = WorkerTime::of(OPEN_WITHIN, self.worked);
        let task = WorkerTask {
            request: job.request.clone(),
            game: job.game.clone(),
            tells_after,
        };
        let task = frame::bytes(&task).map_err(ended)?;
        let over = |()| JobFailed::TimeOver(job.time);
        let process = self.process.as_ref();
        let sent = frame::send(&mut self.socket, &task);
        let sent = left.within(process, sent).await;
        sent.map_err(over)?.map_err(ended)?;
        let (mut asked, mut working, mut has_begun) = (0, Working::of(job), false);
        loop {
            let heard = frame::receive(&mut self.socket);
            let heard = left.within(process, heard).await;
            let heard = heard.map_err(over)?.map_err(ended)?;
            match frame::message(&heard).map_err(ended)? {
                Upward::Done(made) => {
                    self.ended = process.and_then(Process::worked).unwrap_or_default();
                    return Ok(made);
                }
                Upward::Begins if !has_begun => {
                    has_begun = true;
                    let worked = process.and_then(Process::worked);
                    self.worked = worked.unwrap_or_default();
                    left = WorkerTime::of(job.time, self.worked);
                }
                Upward::Runs(said) => {
                    if let Some(process) = process.filter(|_| !self.stands_back) {
                        process.stand_back();
                        self.stands_back = true;
                    }
                    runs.hear(said);
                }
                Upward::Ask(ask) if asked < ASKS_MAX => {
                    asked += 1;
                    let answer = near.answer(&ask, &mut working);
                    let answer = match &mut places {
                        Some(places) if ask.waits_for_game() => places.lent_during(answer).await?,
                        _ => answer.await,
                    };
                    let answer = answer.map_err(ended)?;
                    let told = frame::send(&mut self.socket, &answer);
                    let told = left.within(process, told).await;
                    told.map_err(over)?.map_err(ended)?;
                }
                Upward::Begins | Upward::Ask(_) => return Err(JobFailed::Ended),
            }
        }
    }
}

/// What is left of a worker's time.
struct WorkerTime {
    left: Duration,
    patience: Patience,
}

impl WorkerTime {
    /// So long, for a worker that had had a processor for `worked` when it began.
    fn of(time: Duration, worked: Duration) -> Self {
        Self {
            left: time,
            patience: Patience::of(time, worked),
        }
    }

    /// Waits for the worker, no longer than is left of its time.
    #[expect(
        clippy::disallowed_methods,
        reason = "a deadline is kept by the clock: what is judged does not depend on it but by ending or not"
    )]
    async fn within<T>(
        &mut self,
        process: Option<&Process>,
        what: impl Future<Output = T>,
    ) -> Result<T, ()> {
        let mut what = std::pin::pin!(what);
        loop {
            let before = Instant::now();
            let done = tokio::time::timeout(self.left, what.as_mut()).await;
            self.left = self.left.saturating_sub(before.elapsed());
            if let Ok(done) = done {
                return Ok(done);
            }
            let worked = process.and_then(Process::worked);
            self.left = self.patience.longer(worked).ok_or(())?;
        }
    }
}

#[cfg(test)]
mod tests;
