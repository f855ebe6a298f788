//! Which code cost a worker.
//!
//! A worker that was lost over something has it done once more by another, which says before each run of rule code whose it
//! is. If that one is lost too, the innermost run that had not ended is the culprit. So nothing is told as long as nothing is
//! wrong, and one that was killed for another reason is not mistaken for one that ran away.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

/// A rule and a line of its text.
type WirePlace = (Name, u32);

/// Something that a worker tells of its runs: on which of its threads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RunTold {
    thread: u64,
    run: Option<CodeRun>,
}

/// A run that begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CodeRun {
    law: Option<Digest>,
    at: Option<WirePlace>,
    asks: WirePlace,
}

/// The runs of a worker that have begun and not ended.
#[derive(Debug, Default)]
pub(crate) struct OpenRuns(BTreeMap<u64, Vec<CodeRun>>);

impl OpenRuns {
    /// Takes in what a worker says.
    pub(crate) fn hear(&mut self, said: RunTold) {
        let runs = self.0.entry(said.thread).or_default();
        match said.run {
            Some(run) if runs.len() < DEPTH_MAX => runs.push(run),
            Some(_) => {}
            None => drop(runs.pop()),
        }
    }

    /// The clause whose code was running, if it is one of the law in force, which alone is known to be at fault there. A worker
    /// is no one to be believed: whatever it says, no more than a clause of that law is named.
    pub(crate) fn culprit(&self, state: &State) -> Option<ClauseKey> {
        let mut open = self.0.values().filter_map(|runs| runs.last());
        let (Some(run), None) = (open.next(), open.next()) else {
            return None;
        };
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
}

/// A worker's own side: says what runs while it is asked to.
pub(crate) struct Teller(Arc<AtomicBool>);

/// The next thread gets this number.
static THREADS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static THREAD: Cell<u64> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed));
}

impl Teller {
    /// Tells by `say`, once it is switched on.
    pub(crate) fn new(say: impl Fn(RunTold) + Send + Sync + 'static) -> Self {
        let tells = Arc::new(AtomicBool::new(false));
        let switch = Arc::clone(&tells);
        let place = |site: &Site| (site.rule.clone(), site.line);
        let listener = move |running: RunNotice<'_>| {
            if !switch.load(Ordering::Relaxed) {
                return;
            }
            let run = match running {
                RunNotice::Ends => None,
                RunNotice::Begins(of) => Some(CodeRun {
                    law: of.law,
                    at: of.at.map(place),
                    asks: place(of.asks),
                }),
            };
            let thread = THREAD.get();
            say(RunTold { thread, run });
        };
        if !watch::listen(Box::new(listener)) {
            tracing::warn!("another listener has this process: no rule can be named");
        }
        Self(tells)
    }

    /// Whether it tells from now on.
    pub(crate) fn switch(&self, on: bool) {
        self.0.store(on, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::EventSeq;
    use quorate_kernel::law::Rule;

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

    fn begins(thread: u64, law: Option<Digest>, at: Option<(&str, u32)>) -> RunTold {
        let at = at.map(|(rule, line)| (Name::from(rule), line));
        let asks = (Name::from("house"), 6);
        let run = Some(CodeRun { law, at, asks });
        RunTold { thread, run }
    }

    fn heard(said: Vec<RunTold>) -> Option<ClauseKey> {
        let mut runs = OpenRuns::default();
        said.into_iter().for_each(|one| runs.hear(one));
        runs.culprit(&state())
    }

    fn fence(number: u32) -> Option<ClauseKey> {
        let (rule, fence) = (Name::from("house"), number);
        Some(ClauseKey { rule, fence })
    }

    #[test]
    fn the_innermost_run_that_has_not_ended_is_the_culprit() {
        let law = Some(state().law_digest());
        let outer = begins(0, law, Some(("house", 6)));
        let inner = begins(0, law, Some(("house", 12)));
        let ends = |thread| RunTold { thread, run: None };
        assert_eq!(heard(vec![outer.clone(), inner.clone()]), fence(2));
        assert_eq!(heard(vec![outer.clone(), inner, ends(0)]), fence(1));
        assert_eq!(heard(vec![outer, ends(0)]), None);
        assert_eq!(heard(vec![ends(7), ends(7)]), None);
    }

    #[test]
    fn a_helper_of_the_library_is_not_to_blame_but_who_asks() {
        let law = Some(state().law_digest());
        assert_eq!(heard(vec![begins(0, law, Some(("tools", 12)))]), fence(1));
        assert_eq!(heard(vec![begins(0, law, None)]), fence(1));
    }

    #[test]
    fn another_law_one_off_code_and_two_at_once_blame_nobody() {
        let law = Some(state().law_digest());
        let other = Some(Digest::of(b"another"));
        let at = Some(("house", 12));
        assert_eq!(heard(vec![begins(0, other, at)]), None);
        assert_eq!(heard(vec![begins(0, None, at)]), None);
        assert_eq!(heard(vec![begins(0, law, at), begins(1, law, at)]), None);
        assert_eq!(heard(vec![begins(0, law, Some(("gone", 3)))]), fence(1));
    }
}
