//! The working copy of a run: the state as it is so far, what changed in it, what was read, dice, and notes.
//!
//! It shares its tables with the state it was taken from, so that taking one, and going back to it where a rule
//! refuses, costs next to nothing. What changed is noted step by step; the steps are the event's effects. What rule code
//! does on it is the topics' matter (`topics`), which reach it through what is public here.

use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use quorate_kernel::effect::Step;
use quorate_kernel::event::{Note, NoteKind, NoteTopic};
use quorate_kernel::rows::CellKey;
use quorate_kernel::state::{Effect, State};
use quorate_kernel::{EventSeq, Moment, Name, Need, PlayerId, PostId, Refusal, Thing};
use quorate_law::budget::Limits;
use quorate_law::code::Script;
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Fault, Site, Stop};
use quorate_law::world::World;

use crate::inputs::{SaidValue, UnmetCondition};
use crate::law::{Law, LawCache};
use crate::memo::{Caches, DEPTH_MAX};
use crate::reads::{ReadKey, Reads};
use crate::ruling::{NamedRuling, Ruling};
use crate::words::worded;

pub mod accounts;
mod deck;
mod effort;
#[cfg(test)]
mod tests;
mod writing;

use accounts::RunAccounts;

pub use deck::{Deck, DiceFrom, Lot};
pub(crate) use writing::is_of_law;

/// The working copy of a run of the law over a game.
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
    coming_law: RefCell<Option<Arc<Law>>>,
    /// Where laws are kept that are compiled on the way; unless somebody says so, the last one here.
    laws: OnceCell<Arc<LawCache>>,
    work: RefCell<Work>,
    frames: RefCell<Vec<Frame>>,
    deck: RefCell<Deck>,
    reads: RefCell<Vec<Reads>>,
    caches: RefCell<Caches>,
    depth: Cell<u32>,
    /// How deep it went since somebody began to measure.
    deepest: Cell<u32>,
    accounts: RunAccounts,
    ruling: RefCell<Ruled>,
    enacting: Cell<Enacting>,
    /// Whether what the law needs counts as met, and what was not.
    needs_met: Cell<bool>,
    unmet: RefCell<Vec<Refusal>>,
}

/// How the changes that a post carries are made.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Enacting {
    /// Nothing has been enacted so far; if something is, its changes are looked at together as the event ends.
    #[default]
    Not,
    /// A post was enacted.
    Whole,
    /// The law refused what came of all changes together, so each is looked at by itself, and those that it refuses are
    /// left out.
    OneByOne,
}

/// What is known of the ruling that an event makes.
#[derive(Clone, Default)]
pub enum Ruled {
    /// No ruling was asked for so far.
    #[default]
    Unasked,
    /// One that is yet to be worked out.
    Wanted(NamedRuling),
    /// It was worked out.
    Known(NamedRuling, Result<Ruling, Refusal>),
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
    /// About how many bytes of the event its steps take, those on tracked values left out: what a loop does to one is joined.
    written: usize,
    salts: u64,
    removed: bool,
    followed: usize,
    law_changed: bool,
    broken: Vec<(Site, Fault)>,
    enacted: Vec<PostId>,
    unmet_conditions: Vec<UnmetCondition>,
    losses: Vec<usize>,
    done: Vec<(PostId, Datum)>,
    said: Vec<SaidValue>,
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

impl Frame {
    /// Code of a law that is about no rule and runs for nobody.
    pub fn of(law: &Arc<Law>) -> Self {
        Self {
            actor: None,
            site: Site::default(),
            action: None,
            law: Arc::clone(law),
            trial: false,
        }
    }
}

/// A point to go back to.
pub struct Savepoint {
    work: Work,
    deck: Deck,
}

impl Tx {
    /// A run for the event of a number, on the state before it. It begins with what is known of the law's answers.
    pub fn new(
        base: &State,
        seq: EventSeq,
        now: Moment,
        law: &Arc<Law>,
        deck: Deck,
        caches: Caches,
    ) -> Rc<Self> {
        Rc::new_cyclic(|me| Self {
            me: me.clone(),
            base: base.clone(),
            seq,
            now,
            law: Arc::clone(law),
            coming_law: RefCell::default(),
            laws: OnceCell::default(),
            work: RefCell::new(Work {
                state: base.clone(),
                ..Work::default()
            }),
            frames: RefCell::default(),
            deck: RefCell::new(deck),
            reads: RefCell::default(),
            caches: RefCell::new(caches),
            depth: Cell::new(0),
            deepest: Cell::new(0),
            accounts: RunAccounts::default(),
            ruling: RefCell::default(),
            needs_met: Cell::default(),
            unmet: RefCell::default(),
            enacting: Cell::default(),
        })
    }

    /// A run for the same event on another state, at another moment or under another law, without dice.
    pub fn beside(&self, base: &State, now: Moment, law: &Arc<Law>) -> Rc<Self> {
        let nowhere = Deck::nowhere();
        let run = Self::new(base, self.seq, now, law, nowhere, Caches::default());
        run.accounts.share(&self.accounts);
        run
    }

    /// How changes are enacted here.
    pub fn enacting(&self) -> Enacting {
        self.enacting.get()
    }

    /// Says how changes are enacted here.
    pub fn set_enacting(&self, how: Enacting) {
        self.enacting.set(how);
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
        let frames = self.frames.borrow();
        let innermost = frames.last().cloned();
        innermost.unwrap_or_else(|| Frame::of(&self.law))
    }

    /// The clause whose code runs now.
    fn site(&self) -> Site {
        let frames = self.frames.borrow();
        let innermost = frames.last().map(|frame| frame.site.clone());
        innermost.unwrap_or_default()
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
        if self.depth.get() >= DEPTH_MAX {
            return Err(Stop::fault(format!(
                "rules lean on each other more than {DEPTH_MAX} deep, through {function}"
            )));
        }
        if self.depth.get() == 0 {
            self.accounts.begin(function);
        }
        let budget = self.accounts.handler();
        let frame = self.frame();
        self.deeper(|world| {
            let (code, function) = (&frame.law.code, function.as_str());
            code.call_for(&frame.site, world, function, args, named, &budget)
        })
    }

    /// Runs one-off code of a patch, on an account of its own within the patch's.
    pub fn call_script(&self, script: &Script, args: Vec<Datum>) -> Answer<Datum> {
        let budget = self.accounts.of_patch().within(Limits::HANDLER);
        let site = self.frame().site;
        self.accounts.during(budget.clone(), || {
            self.deeper(|world| script.run(world, args, &budget, &site))
        })
    }

    /// Runs code of the law one level deeper, with this run as its world.
    fn deeper(&self, run: impl FnOnce(&Rc<dyn World>) -> Answer<Datum>) -> Answer<Datum> {
        let Some(me) = self.me.upgrade() else {
            return Err(Stop::fault("the run is over"));
        };
        let world: Rc<dyn World> = me;
        self.depth.set(self.depth.get() + 1);
        self.deepest.set(self.deepest.get().max(self.depth.get()));
        let answer = run(&world);
        self.depth.set(self.depth.get() - 1);
        answer.and_then(|answer| self.fits_in_event().map(|()| answer))
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
    pub fn mark(&self) -> Savepoint {
        Savepoint {
            work: self.work.borrow().clone(),
            deck: self.deck.borrow().clone(),
        }
    }

    /// Goes back: what was changed since is undone. Dice that fell stay known.
    pub fn go_back(&self, mark: Savepoint) {
        self.forget_since(mark.work.steps.len());
        let broken = std::mem::take(&mut self.work.borrow_mut().broken);
        *self.work.borrow_mut() = Work {
            broken,
            ..mark.work
        };
        let later = self.deck.replace(mark.deck);
        self.deck.borrow_mut().take_back(later);
    }

    /// Forgets what rests on what was written since so many steps.
    fn forget_since(&self, count: usize) {
        let work = self.work.borrow();
        let undone = work.steps.iter().skip(count);
        let keys: Vec<ReadKey> = undone
            .flat_map(|step| ReadKey::written(&step.effect))
            .collect();
        self.caches.borrow_mut().forget(&keys);
    }

    /// Tries something and takes it back, whatever came of it; the dice are untouched.
    pub fn trial<T>(&self, frame: Frame, run: impl FnOnce() -> T) -> T {
        let mark = self.mark();
        let deck = mark.deck.clone();
        self.deck.borrow_mut().lead_no_further();
        let frame = Frame {
            trial: true,
            ..frame
        };
        let result = self.within(frame, run);
        self.go_back(mark);
        *self.deck.borrow_mut() = deck;
        result
    }

    /// Forgets all that was changed, but not the dice that fell.
    pub fn start_again(&self) {
        self.forget_since(0);
        *self.coming_law.borrow_mut() = None;
        let last = std::mem::take(&mut *self.work.borrow_mut());
        *self.work.borrow_mut() = Work {
            state: self.base.clone(),
            notes: last.notes,
            unmet_conditions: last.unmet_conditions,
            losses: last.losses,
            ..Work::default()
        };
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

    /// What is known of the ruling that the event makes.
    pub fn ruled(&self) -> Ruled {
        self.ruling.borrow().clone()
    }

    /// Says what is known of that ruling.
    pub fn set_ruled(&self, ruled: Ruled) {
        *self.ruling.borrow_mut() = ruled;
    }

    /// Says whether what the law needs counts as met from now on.
    pub fn take_needs_as_met(&self, met: bool) {
        self.needs_met.set(met);
    }

    /// What is needed, which counts as met where this run takes it so. A question about what could be done is answered as
    /// ever.
    pub fn met(&self, needed: Answer<()>) -> Answer<()> {
        match needed {
            Err(Stop::Refused(refusal)) if self.needs_met.get() && !self.frame().trial => {
                self.unmet.borrow_mut().push(*refusal);
                Ok(())
            }
            other => other,
        }
    }

    /// What counted as met and was not.
    pub fn unmet(&self) -> Vec<Refusal> {
        self.unmet.borrow().clone()
    }

    /// Notes that the changes of a post are made. What is needed from then on must be there.
    pub fn note_enacted(&self, post: PostId) {
        self.needs_met.set(false);
        self.work.borrow_mut().enacted.push(post);
    }

    /// The posts whose changes were made.
    pub fn enacted(&self) -> Vec<PostId> {
        self.work.borrow().enacted.clone()
    }

    /// The law that this event makes, if it makes one.
    pub fn new_law(&self) -> Option<Arc<Law>> {
        self.coming_law.borrow().clone()
    }

    /// The law as it will be after the event.
    pub fn coming_law(&self) -> Arc<Law> {
        self.new_law().unwrap_or_else(|| Arc::clone(&self.law))
    }

    /// Takes a law that was made of all changes so far as the one to come.
    pub fn set_coming_law(&self, law: &Arc<Law>) {
        *self.coming_law.borrow_mut() = Some(Arc::clone(law));
        self.work.borrow_mut().law_changed = false;
    }

    /// Dice and choices.
    pub fn deck(&self) -> RefMut<'_, Deck> {
        self.deck.borrow_mut()
    }

    /// Answers of the law that hold until what they rest on changes.
    pub fn caches(&self) -> RefMut<'_, Caches> {
        self.caches.borrow_mut()
    }

    /// A refusal by the clause at a place of the law.
    pub fn refusal_at(&self, site: &Site, what: &str) -> Refusal {
        let place = self.frame().law.place(&site.rule);
        Refusal {
            rule: self.with_state(|state| worded(state, &place.title)),
            rule_id: site.rule.clone(),
            clause: site.clause,
            against: None,
            needs: vec![Need {
                what: what.to_owned(),
                ..Need::default()
            }],
            next_at: None,
        }
    }

    /// Notes a line for the log.
    pub fn say(&self, kind: NoteKind, text: impl Into<String>) {
        self.note(kind, text.into(), NoteTopic::General);
    }

    /// Notes a line for the log that is about something known.
    pub fn say_of(&self, kind: NoteKind, topic: NoteTopic) {
        self.note(kind, topic.line(), topic);
    }

    fn note(&self, kind: NoteKind, text: String, topic: NoteTopic) {
        let note = Note {
            rule: self.site().rule,
            kind,
            text,
            topic,
        };
        self.work.borrow_mut().notes.push(note);
    }

    /// Notes that the changes under a condition are not made, for it does not hold.
    pub fn note_unmet(&self, test: &Arc<str>) {
        let note = self.work.borrow().notes.len();
        let text = format!("the condition does not hold: {test}");
        self.say(NoteKind::Skipped, text);
        let test = Arc::clone(test);
        let unmet = UnmetCondition { test, note };
        self.work.borrow_mut().unmet_conditions.push(unmet);
    }

    /// The conditions of patches that do not hold.
    pub fn unmet_conditions(&self) -> Vec<UnmetCondition> {
        self.work.borrow().unmet_conditions.clone()
    }

    /// Notes what a law that begins loses.
    pub fn say_loss(&self, line: String) {
        let note = self.work.borrow().notes.len();
        self.say(NoteKind::Broke, line);
        self.work.borrow_mut().losses.push(note);
    }

    /// The lines that say so.
    pub fn losses(&self) -> Vec<usize> {
        self.work.borrow().losses.clone()
    }

    /// The first line about a change that was to be made and was not: those under a condition that does not hold were not.
    pub fn left_out(&self) -> Option<Note> {
        let work = self.work.borrow();
        let mut notes = work.notes.iter().enumerate();
        let is_unmet = |nth| work.unmet_conditions.iter().any(|unmet| unmet.note == nth);
        let left_out = notes.find(|(nth, note)| note.kind == NoteKind::Skipped && !is_unmet(*nth));
        left_out.map(|(_, note)| note.clone())
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
    pub fn broke(&self, site: &Site, fault: &Fault) {
        let mut work = self.work.borrow_mut();
        work.broken.push((site.clone(), fault.clone()));
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
    pub fn reading<T>(&self, run: impl FnOnce() -> T) -> (T, Arc<Reads>) {
        self.reads.borrow_mut().push(Reads::default());
        let result = run();
        let reads = Arc::new(self.reads.borrow_mut().pop().unwrap_or_default());
        self.read_all(&reads);
        (result, reads)
    }

    /// Notes what a kept answer rests on.
    pub fn read_all(&self, reads: &Arc<Reads>) {
        if let Some(outer) = self.reads.borrow_mut().last_mut() {
            outer.join(reads);
        }
    }

    /// Tells the hooks that a tracked value changed.
    pub fn note_change(&self, change: Changed) {
        self.work.borrow_mut().changes.push(change);
    }

    /// The changes that no hook was told of so far.
    pub fn take_changes(&self) -> Vec<Changed> {
        std::mem::take(&mut self.work.borrow_mut().changes)
    }

    /// The happenings that no hook was told of so far.
    pub fn take_happenings(&self) -> Vec<Happening> {
        std::mem::take(&mut self.work.borrow_mut().happenings)
    }

    /// Notes that a thing was removed, so that what points at it is looked for.
    pub fn note_removal(&self) {
        self.work.borrow_mut().removed = true;
    }

    /// Whether a thing was removed since this was asked last.
    pub fn take_removal(&self) -> bool {
        std::mem::take(&mut self.work.borrow_mut().removed)
    }

    /// What was changed since this was asked last.
    pub fn take_new_effects(&self) -> Vec<Effect> {
        let mut work = self.work.borrow_mut();
        let from = work.followed;
        work.followed = work.steps.len();
        let new = work.steps.iter().skip(from);
        new.map(|step| step.effect.clone()).collect()
    }

    /// Looks at what was changed so far, in order.
    pub fn with_steps<T>(&self, look: impl FnOnce(&[Step]) -> T) -> T {
        look(&self.work.borrow().steps)
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
    pub broken: Vec<(Site, Fault)>,
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
