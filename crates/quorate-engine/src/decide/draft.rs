//! What is decided, and the event that a run makes once all that follows from it has come to rest.

use std::sync::Arc;

use quorate_kernel::command::{Act, Command, TAPE_SALT, hide};
use quorate_kernel::digest::Digest;
use quorate_kernel::effect::Step;
use quorate_kernel::event::{Note, Outcome};
use quorate_kernel::rows::{Open, OpenKey, Waiting};
use quorate_kernel::state::{Effect, State};
use quorate_kernel::tape::Tape;
use quorate_kernel::{EventSeq, Name, Value};
use quorate_law::stop::Answer;

use super::breaks::count_breaks;
use crate::law::{Law, LawCache};
use crate::topics::{
    automatics, conditions, entities, first_edition, follow, held, last_look, new_law,
};
use crate::tx::{Frame, Tx};

/// What is decided: a command, on a state, under its law, as the event of a number.
pub struct Case<'a> {
    /// The state before.
    pub state: &'a State,
    /// The number that the event would have.
    pub seq: EventSeq,
    /// The law in force.
    pub law: &'a Arc<Law>,
    /// Where versions of the law are kept.
    pub laws: &'a Arc<LawCache>,
    /// The command.
    pub command: &'a Command,
}

/// An event but for its number, its moment and its place in the chain.
pub struct EventDraft {
    /// The version of the law that judged it.
    pub law: Digest,
    /// What came of it.
    pub outcome: Outcome,
    /// Its dice and choices.
    pub tape: Tape,
    /// What it changed.
    pub steps: Vec<Step>,
    /// Its lines for the log.
    pub notes: Vec<Note>,
    /// The state after it.
    pub state: State,
    /// The law after it, if it is another.
    pub new_law: Option<Arc<Law>>,
    /// Whether it touched what not everybody may see, so that what was given to it and answered is hidden too.
    pub hides: bool,
}

/// What follows from the act, until nothing moves, and the last look.
pub(super) fn finish(tx: &Tx, act: &Act) -> Answer<()> {
    let said = held::standing(tx);
    follow::follow(tx)?;
    while entities::sweep_references(tx) {
        follow::follow(tx)?;
    }
    held::tell_rest(tx, &said);
    new_law::bring_late(tx);
    last_look::check(tx)?;
    // What breaks as a law is taken back is of that law, and counts for nothing under the one that is in force again.
    let is_taken_back = matches!(act, Act::Undo { .. }) && tx.law_changed();
    if !is_taken_back || first_edition::is_judged(tx) {
        count_breaks(tx);
    }
    if tx.law_changed() {
        new_law::take(tx);
    }
    Ok(())
}

/// The event of a run that stands.
pub(super) fn draft(tx: &Tx, outcome: Outcome, frame: Frame) -> EventDraft {
    let new_law = tx.new_law();
    if let Some(law) = &new_law {
        tx.within(
            Frame {
                law: Arc::clone(law),
                ..frame
            },
            || under_new_law(tx, law),
        );
    }
    let finished = tx.finish();
    let mut tape = tx.deck().tape();
    // Of what is not over nobody can say yet where it will go.
    let is_over = matches!(outcome, Outcome::Done);
    let hides = touches_hidden(&finished.steps) || (!is_over && tx.law.keeps_secrets());
    if hides {
        hide_answers(tx, &mut tape);
    }
    EventDraft {
        law: tx.law.digest,
        outcome,
        tape,
        hides,
        steps: finished.steps,
        notes: finished.notes,
        state: finished.state,
        new_law,
    }
}

/// Whether one of the steps is about something that not everybody may see.
fn touches_hidden(steps: &[Step]) -> bool {
    steps.iter().any(|step| match &step.effect {
        Effect::Cell { old, new, .. } => {
            let mut cells = old.iter().chain(new);
            cells.any(|cell| matches!(cell.value, Value::Hidden(_)))
        }
        Effect::Duty { old, new, .. } => old.iter().chain(new).any(|duty| duty.hidden),
        _ => false,
    })
}

/// Hides what was answered, as the tape tells it.
pub(super) fn hide_answers(tx: &Tx, tape: &mut Tape) {
    let deck = tx.deck();
    let answers = tape.answers.iter_mut().map(|chosen| &mut chosen.value);
    hide(answers, TAPE_SALT, &|nth| deck.salt(nth));
}

/// Sets the clocks of a law that begins: what it schedules, and tests of its own that hold already.
pub(super) fn under_new_law(tx: &Tx, law: &Arc<Law>) {
    let new = tx.beside(&tx.state(), tx.now, law);
    new.continue_ids(tx.made());
    automatics::schedule_all(&new);
    conditions::begin(&new);
    for step in new.finish().steps {
        tx.write(step.effect, step.way);
    }
}

/// Dice that waited are used up with the action that used them.
pub(super) fn drop_waiting(tx: &Tx, key: &OpenKey, args: &[(Name, Value)], open: Option<&Open>) {
    let are_used = |row: &Waiting| {
        // An action that was open already has dice of its own.
        let has_others = open.is_some_and(|open| open.seed != row.seed);
        row.are_for(args) && (!has_others || first_edition::is_judged(tx))
    };
    if tx.row::<Waiting>(key).is_some_and(|row| are_used(&row)) {
        tx.remove::<Waiting>(key.clone());
    }
}
