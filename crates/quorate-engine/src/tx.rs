//! A run of the law over a game: a working copy of the state, and all that rule code changes on it.
//!
//! The working copy shares its tables with the state it was taken from, so that taking one, and going back to it
//! where a rule refuses, costs next to nothing. What changed is noted step by step; the steps are the event's effects.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use quorate_kernel::effect::{Step, Way};
use quorate_kernel::event::{Note, NoteKind};
use quorate_kernel::rows::{self, CellKey};
use quorate_kernel::seal::Salt;
use quorate_kernel::state::{Effect, State};
use quorate_kernel::{EventSeq, Id, Moment, Name, PlayerId, Refusal, Thing, Value};
use quorate_law::Budget;
use quorate_law::code::Script;
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};
use quorate_law::world::World;

use self::effort::DEPTH_MAX;
use crate::law::Law;
use crate::lens::Caches;
use crate::reads::{ReadKey, Reads};
use crate::ruling::{Named, Ruling};

pub mod actions;
pub mod attributes;
pub mod builtin;
pub mod dice;
pub mod duties;
mod effort;
pub mod follow;
pub mod ledgers;
pub mod people;
pub mod posts;
pub mod rules;
mod rulings;
mod world;

pub use dice::{Deck, DiceFrom, Lot};

/// A run of the law over a game.
pub struct Tx {
    me: Weak<Tx>,
    /// The state before the event.
    pub base: State,
    /// The number that the event would have.
    pub seq: EventSeq,
    /// The event's moment.
    pub now: Moment,
    /// The law that judges it.
    pub law: Arc<Law>,
    /// What sees this event's changes of law.
    pub next_law: RefCell<Option<Arc<Law>>>,
    work: RefCell<Work>,
    frames: RefCell<Vec<Frame>>,
    /// Dice and choices.
    pub deck: RefCell<Deck>,
    /// What the code that runs now has read.
    reads: RefCell<Vec<Reads>>,
    /// Answers of the law that hold until what they rest on changes.
    pub caches: Rc<RefCell<Caches>>,
    depth: Cell<u32>,
    /// How deep it went since somebody began to measure.
    deepest: Cell<u32>,
    /// The account of the handler that runs; what it sets off is paid from it.
    budget: RefCell<Budget>,
    /// Whether the operator acts and names may be anything.
    pub unchecked: Cell<bool>,
    /// The ruling that the event makes, worked out apart.
    ruling: RefCell<Ruled>,
}

/// What is known of the ruling that an event makes.
#[derive(Default)]
enum Ruled {
    /// No ruling was asked for so far.
    #[default]
    Unasked,
    /// One that is yet to be worked out.
    Wanted(Named),
    /// It was worked out.
    Known(Named, Result<Ruling, Refusal>),
}

/// What a run has made so far.
#[derive(Clone, Default)]
struct Work {
    state: State,
    steps: Vec<Step>,
    notes: Vec<Note>,
    changes: Vec<Changed>,
    happenings: Vec<Happening>,
    made: u16,
    salts: u64,
    removed: bool,
    followed: usize,
    law_changed: bool,
    broken: Vec<(Site, String)>,
}

/// A tracked value that changed, for the hooks on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The value.
    pub name: Name,
    /// Of which thing.
    pub thing: Thing,
    /// The thing's kind.
    pub kind: Name,
    /// What it was.
    pub old: Datum,
    /// What it is.
    pub new: Datum,
}

/// Something that happened, for the hooks on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// `posted`, `commented`, `joined`, `left`, `founded`.
    pub what: &'static str,
    /// The kind of the thing it happened to.
    pub kind: Name,
    /// What the hook is given.
    pub args: Vec<Datum>,
}

/// Whose code runs, for whom.
#[derive(Clone)]
pub struct Frame {
    /// Whose command, or whose move by another's hand.
    pub actor: Option<PlayerId>,
    /// The rule and clause that the code belongs to.
    pub site: Site,
    /// The action that runs, if one does.
    pub action: Option<Name>,
    /// The law whose functions run.
    pub law: Arc<Law>,
    /// Whether this is a trial, which ends at the first die or question.
    pub trial: bool,
}

/// A point to go back to.
pub struct Mark {
    work: Work,
    deck: Deck,
}

impl Tx {
    /// A run for the event that would follow `seq_before`.
    pub fn new(
        base: &State,
        seq: EventSeq,
        now: Moment,
        law: &Arc<Law>,
        deck: Deck,
        caches: &Rc<RefCell<Caches>>,
    ) -> Rc<Self> {
        Rc::new_cyclic(|me| Self {
            me: me.clone(),
            base: base.clone(),
            seq,
            now,
            law: Arc::clone(law),
            next_law: RefCell::new(None),
            work: RefCell::new(Work {
                state: base.clone(),
                ..Work::default()
            }),
            frames: RefCell::new(Vec::new()),
            deck: RefCell::new(deck),
            reads: RefCell::new(Vec::new()),
            caches: Rc::clone(caches),
            depth: Cell::new(0),
            deepest: Cell::new(0),
            budget: RefCell::new(Budget::default()),
            unchecked: Cell::new(false),
            ruling: RefCell::default(),
        })
    }

    /// The working copy of the state.
    pub fn state(&self) -> State {
        self.work.borrow().state.clone()
    }

    /// Looks at the working copy without copying it. The closure must not run rule code.
    pub fn with_state<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.work.borrow().state)
    }

    /// Whose code runs now.
    pub fn frame(&self) -> Frame {
        self.frames
            .borrow()
            .last()
            .cloned()
            .unwrap_or_else(|| Frame {
                actor: None,
                site: Site::default(),
                action: None,
                law: Arc::clone(&self.law),
                trial: false,
            })
    }

    /// Whose command this is.
    pub fn actor(&self) -> Option<PlayerId> {
        self.frames.borrow().last().and_then(|frame| frame.actor)
    }

    /// Runs something as part of a frame.
    pub fn within<T>(&self, frame: Frame, run: impl FnOnce() -> T) -> T {
        self.frames.borrow_mut().push(frame);
        let result = run();
        self.frames.borrow_mut().pop();
        result
    }

    /// Calls a function of the law that runs now, as part of the present frame.
    pub fn call(&self, function: &Name, args: Vec<Datum>) -> Answer<Datum> {
        self.call_named(function, args, Vec::new())
    }

    /// Calls a function with named arguments.
    pub fn call_named(
        &self,
        function: &Name,
        args: Vec<Datum>,
        named: Vec<(Name, Datum)>,
    ) -> Answer<Datum> {
        let frame = self.frame();
        if self.depth.get() >= DEPTH_MAX {
            return Err(Stop::fault(format!(
                "rules lean on each other more than {DEPTH_MAX} deep, through {function}"
            )));
        }
        let Some(me) = self.me.upgrade() else {
            return Err(Stop::fault("the run is over"));
        };
        let world: Rc<dyn World> = me;
        if self.depth.get() == 0 {
            *self.budget.borrow_mut() = Budget::default();
        }
        let budget = self.budget.borrow().clone();
        self.depth.set(self.depth.get() + 1);
        self.deepest.set(self.deepest.get().max(self.depth.get()));
        let answer =
            frame
                .law
                .code
                .call_for(&frame.site, &world, function.as_str(), args, named, &budget);
        self.depth.set(self.depth.get() - 1);
        answer
    }

    /// Runs one-off code.
    pub fn call_script(&self, script: &Script, args: Vec<Datum>) -> Answer<Datum> {
        let Some(me) = self.me.upgrade() else {
            return Err(Stop::fault("the run is over"));
        };
        let world: Rc<dyn World> = me;
        let budget = Budget::default();
        let outer = self.budget.replace(budget.clone());
        self.depth.set(self.depth.get() + 1);
        self.deepest.set(self.deepest.get().max(self.depth.get()));
        let answer = script.run(&world, args, &budget, &self.frame().site);
        self.depth.set(self.depth.get() - 1);
        self.budget.replace(outer);
        answer
    }

    /// Calls a function of a declaration that stands at `site`, in a frame of its own.
    pub fn call_at(&self, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<Datum> {
        let frame = Frame {
            site: site.clone(),
            ..self.frame()
        };
        self.within(frame, || self.call(function, args))
    }

    /// A predicate of a declaration: anything but `True` is no.
    pub fn holds_at(&self, site: &Site, function: &Name, args: Vec<Datum>) -> Answer<bool> {
        self.call_at(site, function, args)
            .map(|answer| answer == Datum::Bool(true))
    }

    /// A point to go back to.
    pub fn mark(&self) -> Mark {
        Mark {
            work: self.work.borrow().clone(),
            deck: self.deck.borrow().clone(),
        }
    }

    /// Goes back: what was changed since is undone. Dice that fell stay known.
    pub fn go_back(&self, mark: Mark) {
        let undone: Vec<ReadKey> = {
            let work = self.work.borrow();
            work.steps[mark.work.steps.len().min(work.steps.len())..]
                .iter()
                .flat_map(|step| ReadKey::written(&step.effect))
                .collect()
        };
        let broken = std::mem::take(&mut self.work.borrow_mut().broken);
        *self.work.borrow_mut() = mark.work;
        self.work.borrow_mut().broken = broken;
        let later = self.deck.replace(mark.deck);
        self.deck.borrow_mut().take_back(later);
        self.caches.borrow_mut().forget(&undone);
    }

    /// Tries something and takes it back, whatever came of it; the dice are untouched.
    pub fn trial<T>(&self, frame: Frame, run: impl FnOnce() -> T) -> T {
        let mark = self.mark();
        let deck = mark.deck.clone();
        let result = self.within(
            Frame {
                trial: true,
                ..frame
            },
            run,
        );
        self.go_back(mark);
        *self.deck.borrow_mut() = deck;
        result
    }

    /// Makes one change and notes it under the clause that runs.
    pub fn write(&self, effect: Effect, way: Way) {
        if effect.is_idle() {
            return;
        }
        let site = self
            .frames
            .borrow()
            .last()
            .map(|frame| frame.site.clone())
            .unwrap_or_default();
        self.caches.borrow_mut().forget(&ReadKey::written(&effect));
        let mut work = self.work.borrow_mut();
        // Invariant: every effect is made from the row that the working copy holds.
        work.state
            .apply(&effect)
            .expect("an effect is made from the row it changes");
        work.law_changed |= matches!(
            effect,
            Effect::Rule { .. } | Effect::Breaks { .. } | Effect::Section { .. }
        );
        work.steps.push(Step {
            effect,
            way,
            rule: site.rule,
            clause: site.clause,
        });
    }

    /// Writes a tracked value and tells the hooks on it.
    pub fn write_cell(&self, kind: &Name, key: CellKey, value: Option<Value>, way: Way) {
        let old = self.with_state(|state| state.cells.get(&key).cloned());
        if old.as_ref().map(|cell| &cell.value) == value.as_ref() {
            return;
        }
        let claimed = old.as_ref().is_some_and(|cell| cell.claimed);
        let new = value.map(|value| rows::Cell {
            value,
            at: self.now,
            by: self.seq,
            claimed,
        });
        let seen = |cell: &Option<rows::Cell>| {
            cell.as_ref()
                .map_or(Datum::None, |cell| crate::convert::datum(&cell.value))
        };
        let changed = Changed {
            name: key.name.clone(),
            thing: key.thing.clone(),
            kind: kind.clone(),
            old: if old.is_some() {
                seen(&old)
            } else {
                self.default_named(kind, &key.name)
            },
            new: if new.is_some() {
                seen(&new)
            } else {
                self.default_named(kind, &key.name)
            },
        };
        self.write(Effect::Cell { key, old, new }, way);
        self.work.borrow_mut().changes.push(changed);
    }

    /// The id of the next thing that this event makes.
    pub fn make_id(&self) -> Id {
        let mut work = self.work.borrow_mut();
        let id = Id::new(self.seq, work.made);
        work.made = work
            .made
            .checked_add(1)
            .expect("an event's budget ends before it makes 65,536 things");
        id
    }

    /// How many things this event has made.
    pub fn made(&self) -> u16 {
        self.work.borrow().made
    }

    /// Starts numbering where other events under the same number stopped.
    pub(crate) fn count_from(&self, made: u16) {
        self.work.borrow_mut().made = made;
    }

    /// The ruling that was asked for and is not known.
    pub(crate) fn wants_ruling(&self) -> Option<Named> {
        match &*self.ruling.borrow() {
            Ruled::Wanted(named) => Some(named.clone()),
            Ruled::Unasked | Ruled::Known(..) => None,
        }
    }

    /// Hands over what a ruling comes to.
    pub(crate) fn know_ruling(&self, named: Named, ruling: Result<Ruling, Refusal>) {
        *self.ruling.borrow_mut() = Ruled::Known(named, ruling);
    }

    /// Goes on numbering where another run of the same event stopped.
    pub fn continue_ids(&self, made: u16) {
        let mut work = self.work.borrow_mut();
        work.made = work.made.max(made);
        // Salts of the two runs must not meet either.
        work.salts = 1 << 31;
    }

    /// Forgets all that was changed, but not the dice that fell.
    pub fn start_again(&self) {
        let undone: Vec<ReadKey> = self
            .work
            .borrow()
            .steps
            .iter()
            .flat_map(|step| ReadKey::written(&step.effect))
            .collect();
        self.caches.borrow_mut().forget(&undone);
        *self.next_law.borrow_mut() = None;
        let notes = std::mem::take(&mut self.work.borrow_mut().notes);
        *self.work.borrow_mut() = Work {
            state: self.base.clone(),
            notes,
            ..Work::default()
        };
    }

    /// The salt of the next seal.
    pub fn salt(&self) -> Salt {
        let nth = {
            let mut work = self.work.borrow_mut();
            work.salts += 1;
            work.salts
        };
        self.deck.borrow().salt(nth)
    }

    /// Notes a line for the log.
    pub fn say(&self, kind: NoteKind, text: impl Into<String>) {
        let rule = self
            .frames
            .borrow()
            .last()
            .map(|frame| frame.site.rule.clone())
            .unwrap_or_default();
        self.work.borrow_mut().notes.push(Note {
            rule,
            kind,
            text: text.into(),
        });
    }

    /// Tells the hooks that something happened.
    pub fn happen(&self, what: &'static str, kind: impl Into<Name>, args: Vec<Datum>) {
        self.work.borrow_mut().happenings.push(Happening {
            what,
            kind: kind.into(),
            args,
        });
    }

    /// Notes that a rule broke, for its count of breaks.
    pub fn broke(&self, site: &Site, text: &str) {
        self.work
            .borrow_mut()
            .broken
            .push((site.clone(), text.to_owned()));
    }

    /// Whether anything changed the law.
    pub fn law_changed(&self) -> bool {
        self.work.borrow().law_changed
    }

    /// Notes a read.
    pub fn read(&self, key: ReadKey) {
        if let Some(reads) = self.reads.borrow_mut().last_mut() {
            reads.note(key);
        }
    }

    /// Notes that the answer may be another from a moment on.
    pub fn read_clock(&self, moment: Moment) {
        if moment >= self.now
            && let Some(reads) = self.reads.borrow_mut().last_mut()
        {
            // A comparison with this very moment may turn right after it.
            let turns = if moment == self.now {
                Moment(moment.0 + 1)
            } else {
                moment
            };
            reads.note_moment(turns);
        }
    }

    /// Runs something and gives what it read. What it read counts for whoever asked, too.
    pub fn reading<T>(&self, run: impl FnOnce() -> T) -> (T, Reads) {
        self.reads.borrow_mut().push(Reads::default());
        let result = run();
        let reads = self.reads.borrow_mut().pop().unwrap_or_default();
        self.read_all(&reads);
        (result, reads)
    }

    /// Notes what a kept answer rests on.
    pub fn read_all(&self, reads: &Reads) {
        if let Some(outer) = self.reads.borrow_mut().last_mut() {
            outer.join(reads);
        }
    }

    /// What came of the run: its steps, and its lines for the log.
    pub fn finish(&self) -> Finished {
        let work = self.work.borrow();
        Finished {
            state: work.state.clone(),
            steps: compress(&work.steps),
            notes: work.notes.clone(),
            broken: work.broken.clone(),
        }
    }

    fn take_changes(&self) -> Vec<Changed> {
        std::mem::take(&mut self.work.borrow_mut().changes)
    }

    fn take_happenings(&self) -> Vec<Happening> {
        std::mem::take(&mut self.work.borrow_mut().happenings)
    }
}

/// What came of a run.
pub struct Finished {
    /// The state after it.
    pub state: State,
    /// What it changed.
    pub steps: Vec<Step>,
    /// Its lines for the log.
    pub notes: Vec<Note>,
    /// Rules that broke in it.
    pub broken: Vec<(Site, String)>,
}

/// Joins what one clause did to one value in a row of steps, so that a loop of `+= 1` reads as one change.
fn compress(steps: &[Step]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::with_capacity(steps.len());
    let mut last_of: BTreeMap<CellKey, usize> = BTreeMap::new();
    for step in steps {
        if let Effect::Cell { key, new, .. } = &step.effect {
            if let Some(&index) = last_of.get(key) {
                let before = &mut out[index];
                let same = before.way == step.way
                    && before.rule == step.rule
                    && before.clause == step.clause;
                if let (true, Effect::Cell { new: joined, .. }) = (same, &mut before.effect) {
                    joined.clone_from(new);
                    continue;
                }
            }
            last_of.insert(key.clone(), out.len());
        }
        out.push(step.clone());
    }
    out.retain(|step| !step.effect.is_idle());
    out
}
