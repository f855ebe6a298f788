//! The one place in which a run writes: what it was is read here, what it is comes from the topics.

use std::sync::Arc;

use quorate_kernel::effect::{Step, Way};
use quorate_kernel::former::FormerRule;
use quorate_kernel::record::EVENT_BYTES_MAX;
use quorate_kernel::rows::{Due, DueKey};
use quorate_kernel::seal::Salt;
use quorate_kernel::state::{Effect, State, TableRow};
use quorate_kernel::{Id, Moment, PostId};
use quorate_law::budget::Limits;
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Fault, FaultKind, Stop};

use super::Tx;
use crate::inputs::SaidValue;
use crate::law::{Law, LawCache};
use crate::memo::Caches;
use crate::reads::ReadKey;

impl Tx {
    /// The row under a key.
    pub fn row<R: TableRow>(&self, key: &R::Key) -> Option<R> {
        self.with_state(|state| R::find(state, key).cloned())
    }

    /// Makes a row, or sets it anew.
    pub fn put<R: TableRow>(&self, key: R::Key, row: R) {
        self.write_row(key, Some(row), Way::Set);
    }

    /// Takes a row out.
    pub fn remove<R: TableRow>(&self, key: R::Key) {
        self.write_row::<R>(key, None, Way::Set);
    }

    /// Changes a row. False where there is none.
    pub fn change<R: TableRow>(&self, key: R::Key, change: impl FnOnce(&mut R)) -> bool {
        let Some(mut row) = self.row::<R>(&key) else {
            return false;
        };
        change(&mut row);
        self.put(key, row);
        true
    }

    /// Makes a row what it is to be, or takes it out; an undo asks in which way.
    pub fn write_row<R: TableRow>(&self, key: R::Key, row: Option<R>, way: Way) {
        let old = self.row::<R>(&key);
        self.write(R::effect(key, old, row), way);
    }

    /// Makes one change and notes it under the clause that runs.
    pub fn write(&self, effect: Effect, way: Way) {
        if effect.is_idle() {
            return;
        }
        let site = self.site();
        self.caches.borrow_mut().forget(&ReadKey::written(&effect));
        let mut work = self.work.borrow_mut();
        // Invariant: every effect is made from the row that the working copy holds.
        work.state
            .apply(&effect)
            .expect("an effect is made from the row it changes");
        work.law_changed |= is_of_law(&effect);
        work.written += weight(&effect);
        work.steps.push(Step {
            effect,
            way,
            rule: site.rule,
            clause: site.clause,
        });
    }

    /// What this run found that others may know who ask about the state that it began with: nothing where it wrote something that
    /// may be read.
    pub(crate) fn found(&self) -> Option<Caches> {
        let work = self.work.borrow();
        let mut written = work.steps.iter();
        let may_tell =
            !self.needs_met.get() && written.all(|step| ReadKey::written(&step.effect).is_empty());
        may_tell.then(|| self.caches.take())
    }

    /// How many rules have broken so far.
    pub(crate) fn break_count(&self) -> usize {
        self.work.borrow().broken.len()
    }

    /// Notes that the answer is made of the time itself and holds no longer than to a moment.
    pub(crate) fn read_flow(&self, moment: Moment) {
        if let Some(reads) = self.reads.borrow_mut().last_mut() {
            reads.note_flow(moment);
        }
    }

    /// An error where code has written more than an event holds.
    pub(super) fn fits_in_event(&self) -> Answer<()> {
        if self.work.borrow().written <= EVENT_BYTES_MAX {
            return Ok(());
        }
        Err(Stop::Broken(Box::new(Fault {
            site: self.site(),
            text: format!("more than {} MiB is changed at once", EVENT_BYTES_MAX >> 20),
            kind: FaultKind::Limit,
        })))
    }

    /// Notes what a value is to be that a matter sets; what it was to be before does not count any more.
    pub(crate) fn note_said(&self, said: SaidValue) {
        let mut work = self.work.borrow_mut();
        work.said.retain(|known| known.key != said.key);
        work.said.push(said);
    }

    /// The values that matters set.
    pub(crate) fn said(&self) -> Vec<SaidValue> {
        self.work.borrow().said.clone()
    }

    /// Notes what code that a post carries has changed.
    pub(crate) fn note_done(&self, post: PostId, changes: Vec<Datum>) {
        let changes = changes.into_iter().map(|change| (post, change));
        self.work.borrow_mut().done.extend(changes);
    }

    /// What code that a post carries has changed so far.
    pub(crate) fn done_by(&self, post: PostId) -> Vec<Datum> {
        let work = self.work.borrow();
        let own = work.done.iter().filter(|(of, _)| *of == post);
        own.map(|(_, change)| change.clone()).collect()
    }

    /// The law as it is in the working copy, compiled now or on the way.
    pub(crate) fn compile(&self) -> Arc<Law> {
        self.compile_of(&self.state())
    }

    /// The law that a state holds to which this run may come.
    pub(crate) fn compile_of(&self, state: &State) -> Arc<Law> {
        let laws = self.laws.get_or_init(|| Arc::new(LawCache::of_bytes(0)));
        laws.law(state)
    }

    /// Has laws that are compiled on the way taken from where they are kept: what a closing would do is asked once for each vote
    /// that is tried.
    pub fn keep_laws_in(&self, laws: &Arc<LawCache>) {
        // A run is told of it once, as it begins.
        let _told = self.laws.set(Arc::clone(laws));
    }

    /// Sets or clears a due moment.
    pub fn set_due(&self, key: DueKey, at: Option<Moment>) {
        self.write_row(key, at.map(|at| Due { at }), Way::Set);
    }

    /// The id of the next thing that this event makes; an error where it makes too many.
    pub fn make_id(&self) -> Answer<Id> {
        let mut work = self.work.borrow_mut();
        if u64::from(work.made) >= Limits::MADE {
            return Err(Stop::limit(format!(
                "more than {} things are made at once",
                Limits::MADE
            )));
        }
        let id = Id::new(self.seq, work.made);
        work.made += 1;
        Ok(id)
    }

    /// How many things this event has made.
    pub fn made(&self) -> u16 {
        self.work.borrow().made
    }

    /// Starts numbering where other events under the same number stopped.
    pub(crate) fn count_from(&self, made: u16) {
        self.work.borrow_mut().made = made;
    }

    /// Goes on numbering where another run of the same event stopped.
    pub fn continue_ids(&self, made: u16) {
        let mut work = self.work.borrow_mut();
        work.made = work.made.max(made);
        // Salts of the two runs must not meet either.
        work.salts = 1 << 31;
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
}

/// What an effect takes in an event at least, in bytes.
const EFFECT_BYTES: usize = 64;

/// About how many bytes of an event an effect takes. What people typed lies beside it.
fn weight(effect: &Effect) -> usize {
    match effect {
        Effect::Cell { .. } => 0,
        Effect::Rule { old, new, .. } => {
            let texts = old.iter().chain(new).map(|rule| rule.text.len());
            EFFECT_BYTES + texts.sum::<usize>()
        }
        _ => EFFECT_BYTES,
    }
}

/// Whether an effect changes the law.
pub(crate) fn is_of_law(effect: &Effect) -> bool {
    match effect {
        Effect::Rule { .. }
        | Effect::Breaks { .. }
        | Effect::Section { .. }
        | Effect::About { .. } => true,
        // What became of a text that was law is part of the law.
        Effect::Archived { key, old, new } => {
            let mut rows = old.iter().chain(new);
            rows.any(|row| FormerRule::read(key, row).is_some())
        }
        _ => false,
    }
}
