//! What natives and attributes know of the run they are part of.
//!
//! The language hands an evaluator to functions but not to attributes, so a run is found through a stack that belongs
//! to the thread. Nothing of it is borrowed while a world's method runs: that method may start a run of its own.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use starlark::eval::Evaluator;
use starlark::values::FrozenHeap;

use crate::budget::Budget;
use crate::collect::Collector;
use crate::errors::fault;
use crate::module::CompiledModule;
use crate::objects::Host;
use crate::stop::{Answer, Fault, FaultKind, Site, Stop};
use crate::world::World;

/// One entry into rule code.
pub(crate) struct RunFrame {
    /// The game, unless declarations or tests are being run.
    pub(crate) world: Option<Rc<dyn World>>,
    /// The host of a test file.
    pub(crate) host: Option<Rc<dyn Host>>,
    /// Takes declarations while a law is compiled.
    pub(crate) collector: Option<RefCell<Collector>>,
    /// The code that runs.
    pub(crate) code: Arc<CompiledModule>,
    /// Who pays.
    pub(crate) budget: Budget,
    /// Where unchangeable lists live as long as the run.
    pub(crate) frozen: FrozenHeap,
    /// Bytes of `frozen` that the budget has been charged for.
    pub(crate) charged: Cell<usize>,
    /// Who asks where nothing of the run's own stack is a rule.
    pub(crate) outer: Site,
    /// The line of a test's own statement that failed.
    pub(crate) line: Cell<u32>,
    /// Steps and bytes of the run's evaluator that the budget has been charged for.
    settled: Cell<(u64, u64)>,
    /// Shares of a step that were used and are no whole step yet.
    shares: Cell<u64>,
    /// Why the run ends, while the language's own error is on its way up.
    stop: RefCell<Option<Stop>>,
}

thread_local! {
    static FRAMES: RefCell<Vec<Rc<RunFrame>>> = const { RefCell::new(Vec::new()) };
}

/// What it costs to enter rule code, in steps.
const ENTRY: u64 = 10;

/// How many shares a step has: what is too little for a step, a statement or an attribute that is read, is one.
const SHARES_A_STEP: u64 = 4;

/// What a frame is made of.
pub(crate) struct FrameParts {
    pub(crate) world: Option<Rc<dyn World>>,
    pub(crate) host: Option<Rc<dyn Host>>,
    pub(crate) collector: Option<Collector>,
    pub(crate) code: Arc<CompiledModule>,
    pub(crate) budget: Budget,
    pub(crate) outer: Site,
}

impl FrameParts {
    /// A run of some code at somebody's expense, with neither game nor host.
    pub(crate) fn new(code: &Arc<CompiledModule>, budget: Budget) -> Self {
        Self {
            world: None,
            host: None,
            collector: None,
            code: Arc::clone(code),
            budget,
            outer: Site::default(),
        }
    }
}

/// Takes the frame off the stack again, however the run ends.
pub(crate) struct Entered(pub(crate) Rc<RunFrame>);

impl Drop for Entered {
    fn drop(&mut self) {
        FRAMES.with_borrow_mut(Vec::pop);
    }
}

impl RunFrame {
    /// Enters a run; refused where too many are inside one another.
    pub(crate) fn enter(parts: FrameParts) -> Answer<Entered> {
        let depth = FRAMES.with_borrow(Vec::len);
        if depth >= parts.budget.limits().entries as usize {
            return Err(Stop::Broken(Box::new(Fault {
                site: parts.outer,
                text: format!(
                    "rules call each other in a circle: {depth} answers wait for one another"
                ),
                kind: FaultKind::Limit,
            })));
        }
        parts.budget.add_steps(ENTRY);
        let frame = Rc::new(Self {
            world: parts.world,
            host: parts.host,
            collector: parts.collector.map(RefCell::new),
            code: parts.code,
            budget: parts.budget,
            frozen: FrozenHeap::new(),
            charged: Cell::new(0),
            outer: parts.outer,
            line: Cell::new(0),
            settled: Cell::new((0, 0)),
            shares: Cell::new(0),
            stop: RefCell::new(None),
        });
        FRAMES.with_borrow_mut(|frames| frames.push(Rc::clone(&frame)));
        Ok(Entered(frame))
    }

    /// The innermost run of this thread.
    pub(crate) fn current() -> Option<Rc<Self>> {
        FRAMES.with_borrow(|frames| frames.last().cloned())
    }

    /// The innermost run, or an error for code that is called outside of any.
    pub(crate) fn running() -> starlark::Result<Rc<Self>> {
        Self::current().ok_or_else(|| fault("this cannot be used here"))
    }

    /// The game that is played.
    pub(crate) fn world(&self) -> starlark::Result<&Rc<dyn World>> {
        self.world.as_ref().ok_or_else(|| {
            fault("this needs a game: use it inside a function, not at the top level")
        })
    }

    /// Keeps why the run ends and gives an error that carries it up.
    pub(crate) fn stopped(&self, stop: Stop) -> starlark::Error {
        *self.stop.borrow_mut() = Some(stop);
        fault("stopped")
    }

    /// Passes an answer on, or ends the run.
    pub(crate) fn answer<T>(&self, answer: Answer<T>) -> starlark::Result<T> {
        answer.map_err(|stop| self.stopped(stop))
    }

    /// Why the run ended, once.
    pub(crate) fn take_stop(&self) -> Option<Stop> {
        self.stop.borrow_mut().take()
    }

    /// A limit that was hit.
    pub(crate) fn limit(&self, text: impl Into<String>) -> starlark::Error {
        self.stopped(Stop::Broken(Box::new(Fault {
            site: Site::default(),
            text: text.into(),
            kind: FaultKind::Limit,
        })))
    }

    /// Accounts for text that leaves rule code.
    pub(crate) fn output(&self, text: &str) -> starlark::Result<()> {
        match self.budget.add_output(text.len()) {
            None => Ok(()),
            Some(limits) => Err(self.limit(format!(
                "more than {} KiB of text is written at once",
                limits.output >> 10
            ))),
        }
    }

    /// Accounts for memory; an error if there is too little left.
    pub(crate) fn charge(&self, bytes: usize) -> starlark::Result<()> {
        self.budget.add_bytes(bytes as u64);
        self.within_limits()
    }

    /// Accounts for work that a native is about to do, in steps; an error if there is too little left.
    pub(crate) fn work(&self, steps: usize) -> starlark::Result<()> {
        if steps == 0 {
            return Ok(());
        }
        self.budget.add_steps(steps as u64);
        self.within_limits()
    }

    /// Accounts for work that is less than a step; the next statement stops if there is too little left.
    pub(crate) fn share(&self, shares: u64) {
        let all = self.shares.get().saturating_add(shares);
        self.budget.add_steps(all / SHARES_A_STEP);
        self.shares.set(all % SHARES_A_STEP);
    }

    fn within_limits(&self) -> starlark::Result<()> {
        match limit_passed(&self.budget) {
            None => Ok(()),
            Some(text) => Err(self.limit(text)),
        }
    }

    /// Accounts for what the run's evaluator holds; an error if that is too much.
    pub(crate) fn settle_bytes(&self, bytes: u64) -> starlark::Result<()> {
        self.settle(self.settled.get().0, bytes);
        self.within_limits()
    }

    /// Accounts for what the run's evaluator has used since this was called last.
    pub(crate) fn settle(&self, steps: u64, bytes: u64) {
        let (steps_before, bytes_before) = self.settled.replace((steps, bytes));
        self.budget.add_steps(steps.saturating_sub(steps_before));
        self.budget.add_bytes(bytes.saturating_sub(bytes_before));
    }

    /// Which rule asks: the innermost on the call stack, library texts skipped.
    pub(crate) fn site(&self, eval: &Evaluator<'_, '_, '_>) -> Site {
        let innermost = eval
            .call_stack_top_location()
            .and_then(|at| self.code.site_at(&at));
        if let Some((site, false)) = innermost {
            return site;
        }
        let mut frames = eval.call_stack().into_frames();
        while let Some(frame) = frames.pop() {
            if let Some(at) = frame.location
                && let Some((site, false)) = self.code.site_at(&at)
            {
                return site;
            }
        }
        self.outer.clone()
    }
}

/// What is said where a limit on steps or memory was passed, if one was.
pub(crate) fn limit_passed(budget: &Budget) -> Option<String> {
    if let Some(limits) = budget.spent_bytes() {
        let (whose, most) = (limits.whose, limits.bytes >> 20);
        return Some(format!("{whose} uses more than {most} MiB of memory"));
    }
    let limits = budget.spent_steps()?;
    let (whose, most) = (limits.whose, limits.steps);
    Some(format!("{whose} takes more than {most} steps"))
}
