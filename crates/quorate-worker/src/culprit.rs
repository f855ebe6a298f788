//! Which code cost a worker.
//!
//! A worker that has been at something for a while says which runs of rule code have begun, and from then on before each run
//! whose it is, and when. If its time is over, the clause that took at least half of it is the culprit, and not one that
//! happened to run last; where no clause did, the longest one if it was for a command or for the second try of a page. A worker that
//! ended by itself, which is often quick, has the same done once more by another, which says so from the beginning: the
//! culprit is the innermost run that had not ended. So nothing is told as long as nothing is wrong, and a worker that was
//! killed for another reason is not mistaken for one that ran away.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quorate_engine::law::fence_at;
use quorate_kernel::Name;
use quorate_kernel::digest::Digest;
use quorate_kernel::law::LIBRARY;
use quorate_kernel::rows::ClauseKey;
use quorate_kernel::state::State;
use quorate_law::stop::Site;
use quorate_law::watch::{self, RunNotice};
use serde::{Deserialize, Serialize};

/// How deep runs may be told to stand within one another; rule code cannot come near.
const DEPTH_MAX: usize = 1_000;

/// How many different runs are counted; a law has far fewer functions.
const RUNS_MAX: usize = 100_000;

/// A rule and a line of its text.
type WirePlace = (Name, u32);

/// Something that a worker tells of its runs: on which of its threads, and when since it began with what it is at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RunTold {
    thread: u64,
    at: Duration,
    run: Option<CodeRun>,
}

impl RunTold {
    /// When it is, since the worker began with what it is at.
    pub(crate) fn at(&self) -> Duration {
        self.at
    }
}

/// A run that begins.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
struct CodeRun {
    law: Option<Digest>,
    at: Option<WirePlace>,
    asks: WirePlace,
}

/// The runs of a worker: those that have begun and not ended, and how long each took without those inside it.
#[derive(Debug, Default)]
pub(crate) struct OpenRuns {
    open: BTreeMap<u64, Vec<CodeRun>>,
    took: BTreeMap<CodeRun, Duration>,
    /// When the worker spoke last.
    heard: Option<Duration>,
}

impl OpenRuns {
    /// Whether the worker has said nothing.
    pub(crate) fn is_silent(&self) -> bool {
        self.heard.is_none()
    }

    /// Takes in what a worker says.
    pub(crate) fn hear(&mut self, said: RunTold) {
        let last = self.heard.unwrap_or(said.at);
        self.pass(said.at.saturating_sub(last));
        self.heard = Some(said.at);
        let runs = self.open.entry(said.thread).or_default();
        match said.run {
            Some(run) if runs.len() < DEPTH_MAX => runs.push(run),
            Some(_) => {}
            None => drop(runs.pop()),
        }
    }

    /// Time passes, for what runs innermost.
    fn pass(&mut self, time: Duration) {
        for run in self.open.values().filter_map(|runs| runs.last()) {
            if self.took.len() < RUNS_MAX || self.took.contains_key(run) {
                *self.took.entry(run.clone()).or_default() += time;
            }
        }
    }

    /// The clause whose code cost the worker, whose time was over or who ended by itself; if it is one of the law in force, which
    /// alone is known to be at fault there. A worker is no one to be believed: whatever it says, no more than a clause of that law
    /// is named.
    ///
    /// Where several clauses share the time, so that none took half of it, nobody is to blame, unless the caller
    /// `blames_longest`, since a command, or a page that failed twice, has to get on.
    pub(crate) fn culprit(
        mut self,
        state: &State,
        over: Option<Duration>,
        blames_longest: bool,
    ) -> Option<ClauseKey> {
        let Some(time) = over else {
            let mut open = self.open.values().filter_map(|runs| runs.last());
            return match (open.next(), open.next()) {
                (Some(run), None) => clause_of(run, state),
                _ => None,
            };
        };
        let last = self.heard?;
        // It had longer where the machine kept it waiting.
        let time = time.max(last);
        self.pass(time.saturating_sub(last));
        let mut of_clause: BTreeMap<ClauseKey, Duration> = BTreeMap::new();
        for (run, took) in &self.took {
            if let Some(clause) = clause_of(run, state) {
                *of_clause.entry(clause).or_default() += *took;
            }
        }
        let together: Duration = of_clause.values().sum();
        let longest = of_clause.into_iter().max_by_key(|(_, took)| *took);
        longest
            .filter(|(_, took)| *took >= time / 2 || (blames_longest && together >= time / 2))
            .map(|(clause, _)| clause)
    }
}

/// The clause of the law in force that a run belongs to: where its function stands, or for one of the library, who asks.
fn clause_of(run: &CodeRun, state: &State) -> Option<ClauseKey> {
    if run.law != Some(state.law_digest()) {
        return None;
    }
    let of_rule = |(rule, line): &WirePlace| {
        let known = state.rules.get(rule)?;
        let site = Site {
            rule: rule.clone(),
            line: *line,
            ..Site::default()
        };
        (known.section != LIBRARY).then(|| fence_at(state, &site))?
    };
    let at = run.at.as_ref().and_then(of_rule);
    at.or_else(|| of_rule(&run.asks))
}

/// A worker's own side: says what runs, once it has been at something for a while.
pub(crate) struct Teller(Arc<Telling>);

struct Telling {
    job: Mutex<CurrentJob>,
    /// Rings when a job begins of which it is to be told what runs before the clock is looked at.
    begun: Condvar,
    say: Box<dyn Fn(RunTold) + Send + Sync>,
}

/// What a worker is at.
#[derive(Default)]
struct CurrentJob {
    /// When it began; nothing where there is nothing to do.
    since: Option<Instant>,
    /// From when on it is told what runs, if it ever is.
    telling_from: Option<Instant>,
    /// Whether it is told.
    is_told: bool,
    /// When the thread that looks at the clock does so next; nothing where it waits for the bell.
    looks_at: Option<Instant>,
    /// The runs that have begun and not ended, by thread.
    open: BTreeMap<u64, Vec<CodeRun>>,
}

/// The next thread gets this number.
static THREADS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static THREAD: Cell<u64> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed));
}

/// The stack of the thread that looks at the clock, in bytes.
const WATCH_STACK: usize = 64 << 10;

/// How many threads are kept on which nothing runs.
const IDLE_THREADS_MAX: usize = 64;

impl Teller {
    /// Tells by `say`.
    ///
    /// # Errors
    /// Fails where the system gives no thread.
    pub(crate) fn new(say: impl Fn(RunTold) + Send + Sync + 'static) -> io::Result<Self> {
        let telling = Arc::new(Telling {
            job: Mutex::default(),
            begun: Condvar::new(),
            say: Box::new(say),
        });
        let watching = Arc::clone(&telling);
        let thread = std::thread::Builder::new().stack_size(WATCH_STACK);
        thread.spawn(move || watching.watch())?;
        let listening = Arc::clone(&telling);
        if !watch::listen(Box::new(move |notice| listening.note(notice))) {
            tracing::warn!("another listener has this process: no rule can be named");
        }
        Ok(Self(telling))
    }

    /// A job begins, of which it is told what runs after so long.
    pub(crate) fn begin(&self, after: Duration) {
        let mut job = self.0.job();
        let since = now();
        job.open.clear();
        job.since = Some(since);
        job.telling_from = since.checked_add(after);
        job.is_told = after.is_zero();
        let looks_too_late = |from| job.looks_at.is_none_or(|looks_at| from < looks_at);
        if !job.is_told && job.telling_from.is_some_and(looks_too_late) {
            self.0.begun.notify_one();
        }
    }

    /// The job is done: nothing is told any more.
    pub(crate) fn end(&self) {
        self.0.job().since = None;
    }
}

impl Telling {
    fn job(&self) -> MutexGuard<'_, CurrentJob> {
        // A panic under the lock leaves runs that have begun, at worst one too many.
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, since: Instant, thread: u64, run: Option<CodeRun>) {
        let at = now().saturating_duration_since(since);
        (self.say)(RunTold { thread, at, run });
    }

    /// Notes that code begins to run or ends, and says so where that is told.
    fn note(&self, notice: RunNotice<'_>) {
        let place = |site: &Site| (site.rule.clone(), site.line);
        let run = match notice {
            RunNotice::Ends => None,
            RunNotice::Begins(of) => Some(CodeRun {
                law: of.law,
                at: of.at.map(place),
                asks: place(of.asks),
            }),
        };
        let thread = THREAD.get();
        let mut job = self.job();
        let Some(since) = job.since else {
            return;
        };
        if job.open.len() > IDLE_THREADS_MAX {
            job.open.retain(|_, runs| !runs.is_empty());
        }
        let runs = job.open.entry(thread).or_default();
        match &run {
            Some(run) => runs.push(run.clone()),
            None => drop(runs.pop()),
        }
        if job.is_told {
            self.say(since, thread, run);
        }
    }

    /// Looks at the clock as long as the worker lives: where a job has gone on for so long that it is to be told what runs, all
    /// that has begun is told first.
    fn watch(&self) {
        let mut job = self.job();
        loop {
            let waits = job.since.zip(job.telling_from).filter(|_| !job.is_told);
            job.looks_at = waits.map(|(_, from)| from);
            let Some((since, from)) = waits else {
                let rung = self.begun.wait(job);
                job = rung.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = from.saturating_duration_since(now());
            if left.is_zero() {
                job.is_told = true;
                for (thread, runs) in &job.open {
                    for run in runs {
                        self.say(since, *thread, Some(run.clone()));
                    }
                }
            } else {
                let waited = self.begun.wait_timeout(job, left);
                (job, _) = waited.unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "whose code took most of a time that is over is a question to a clock; what is judged does not depend on it"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use quorate_kernel::EventSeq;
    use quorate_kernel::law::Rule;
    use quorate_law::watch::RunningCode;

    use super::*;

    const TEXT: &str =
        "# House\n\n1. One.\n\n```starlark\nONE = 1\n```\n\n2. Two.\n\n```starlark\nTWO = 2\n```\n";

    fn state() -> State {
        let rule = |section: &str| Rule {
            section: section.into(),
            parent: None,
            rank: 0,
            title: "House".to_owned(),
            text: TEXT.into(),
            active: true,
            tags: Vec::new(),
            changed_by: EventSeq(1),
        };
        let mut state = State::default();
        state.rules.insert("house".into(), rule("core"));
        state.rules.insert("tools".into(), rule(LIBRARY));
        state
    }

    fn begins(thread: u64, at: u64, law: Option<Digest>, place: Option<(&str, u32)>) -> RunTold {
        let place = place.map(|(rule, line)| (Name::from(rule), line));
        let run = Some(CodeRun {
            law,
            at: place,
            asks: (Name::from("house"), 6),
        });
        let at = Duration::from_millis(at);
        RunTold { thread, at, run }
    }

    fn ends(thread: u64, at: u64) -> RunTold {
        let at = Duration::from_millis(at);
        RunTold {
            thread,
            at,
            run: None,
        }
    }

    fn heard(said: Vec<RunTold>, over: Option<u64>) -> Option<ClauseKey> {
        let mut runs = OpenRuns::default();
        for one in said {
            runs.hear(one);
        }
        runs.culprit(&state(), over.map(Duration::from_millis), false)
    }

    #[allow(
        clippy::unnecessary_wraps,
        reason = "it is compared with what may be nobody"
    )]
    fn fence(number: u32) -> Option<ClauseKey> {
        let (rule, fence) = (Name::from("house"), number);
        Some(ClauseKey { rule, fence })
    }

    const ONE: Option<(&str, u32)> = Some(("house", 6));
    const TWO: Option<(&str, u32)> = Some(("house", 12));

    /// What a teller says, and a job of it that tells after so long.
    fn teller(after: Duration) -> (std::sync::mpsc::Receiver<RunTold>, Teller) {
        let (said, hears) = std::sync::mpsc::channel();
        let teller =
            Teller::new(move |told| said.send(told).expect("it is heard")).expect("a thread");
        teller.begin(after);
        (hears, teller)
    }

    fn notes(teller: &Teller, line: u32) {
        let site = Site {
            rule: "house".into(),
            line,
            ..Site::default()
        };
        teller.0.note(RunNotice::Begins(RunningCode {
            law: None,
            at: Some(&site),
            asks: &site,
        }));
    }

    fn line_of(told: &RunTold) -> Option<u32> {
        let run = told.run.as_ref()?;
        run.at.as_ref().map(|(_, line)| *line)
    }

    #[test]
    fn what_has_begun_is_told_after_a_while_and_then_all_that_begins() {
        let (hears, teller) = teller(Duration::from_millis(50));
        notes(&teller, 1);
        notes(&teller, 2);
        let said = || line_of(&hears.recv().expect("it is told"));
        assert_eq!([said(), said()], [Some(1), Some(2)]);
        notes(&teller, 3);
        teller.0.note(RunNotice::Ends);
        assert_eq!([said(), said()], [Some(3), None]);
        teller.end();
        notes(&teller, 4);
        // The next job begins with nothing.
        teller.begin(Duration::ZERO);
        notes(&teller, 5);
        assert_eq!(said(), Some(5));
    }

    #[test]
    fn a_job_is_told_in_time_that_comes_after_one_with_more() {
        let (hears, teller) = teller(Duration::from_hours(1));
        // Until somebody looks at the clock.
        while teller.0.job().looks_at.is_none() {
            std::thread::yield_now();
        }
        teller.end();
        teller.begin(Duration::from_millis(50));
        notes(&teller, 1);
        assert_eq!(line_of(&hears.recv().expect("it is told")), Some(1));
    }

    #[test]
    fn nothing_is_told_of_what_is_quick() {
        let (hears, teller) = teller(Duration::from_hours(1));
        notes(&teller, 1);
        teller.0.note(RunNotice::Ends);
        teller.end();
        assert!(hears.try_recv().is_err());
    }

    #[test]
    fn of_a_worker_that_ended_by_itself_the_innermost_run_is_the_culprit() {
        let law = Some(state().law_digest());
        let (outer, inner) = (begins(0, 1, law, ONE), begins(0, 2, law, TWO));
        assert_eq!(heard(vec![outer.clone(), inner.clone()], None), fence(2));
        let after = vec![outer.clone(), inner, ends(0, 3)];
        assert_eq!(heard(after, None), fence(1));
        assert_eq!(heard(vec![outer, ends(0, 2)], None), None);
        assert_eq!(heard(vec![ends(7, 1), ends(7, 2)], None), None);
        let two = vec![begins(0, 1, law, ONE), begins(1, 1, law, TWO)];
        assert_eq!(heard(two, None), None, "nobody knows which of two");
    }

    #[test]
    fn of_a_time_that_is_over_the_clause_that_took_half_of_it_is() {
        let law = Some(state().law_digest());
        let mut said = vec![begins(0, 0, law, ONE), begins(0, 10, law, TWO)];
        said.extend([ends(0, 900), begins(0, 901, law, TWO), ends(0, 950)]);
        // The first runs again, and its time ends in it.
        assert_eq!(heard(said.clone(), Some(1_000)), fence(2));
        assert_eq!(heard(said, Some(3_000)), fence(1));
        assert_eq!(heard(Vec::new(), Some(1_000)), None);
    }

    #[test]
    fn where_many_clauses_share_the_time_nobody_is_to_blame() {
        let law = Some(state().law_digest());
        // Four tenths of it are the machine's own.
        let mut said = vec![begins(0, 0, law, ONE), ends(0, 100)];
        said.extend([
            begins(0, 500, law, ONE),
            ends(0, 899),
            begins(0, 899, law, TWO),
        ]);
        assert_eq!(heard(said.clone(), Some(1_000)), None);
        assert_eq!(heard(said.clone(), Some(2_000)), fence(2));
        // But a command has to get on, and begins with the longest.
        let mut runs = OpenRuns::default();
        for one in said {
            runs.hear(one);
        }
        let second = Some(Duration::from_secs(1));
        assert_eq!(runs.culprit(&state(), second, true), fence(1));
    }

    #[test]
    fn a_helper_of_the_library_is_not_to_blame_but_who_asks() {
        let law = Some(state().law_digest());
        let helper = begins(0, 0, law, Some(("tools", 12)));
        assert_eq!(heard(vec![helper], Some(1_000)), fence(1));
        assert_eq!(heard(vec![begins(0, 0, law, None)], None), fence(1));
        let gone = begins(0, 0, law, Some(("gone", 3)));
        assert_eq!(heard(vec![gone], None), fence(1));
    }

    #[test]
    fn another_law_and_one_off_code_blame_nobody() {
        let other = Some(Digest::of(b"another"));
        for law in [other, None] {
            assert_eq!(heard(vec![begins(0, 0, law, TWO)], Some(1_000)), None);
            assert_eq!(heard(vec![begins(0, 0, law, TWO)], None), None);
        }
    }
}
