//! What a command does to a game: a pure function of state, law, command and dice.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_kernel::chance;
use quorate_kernel::command::{Act, Command, GIVEN_SALT, TAPE_SALT, hide};
use quorate_kernel::digest::Digest;
use quorate_kernel::effect::Step;
use quorate_kernel::event::{Event, Note, Outcome};
use quorate_kernel::rows::{DueKey, Open, OpenKey, Waiting};
use quorate_kernel::state::{Effect, State};
use quorate_kernel::tape::{Chosen, Seed, SeedId, Tape};
use quorate_kernel::{EventSeq, Name, PlayerId, Refusal, Value};
use quorate_law::stop::{Answer, Question, Stop};

use crate::convert;
use crate::inputs::{Inputs, Remains};
use crate::law::Law;
use crate::memo::Caches;
use crate::ruling::{Named, Ruling};
use crate::topics::{automatics, conditions, entities, follow, last_look, new_law};
use crate::tx::{Deck, Frame, Lot, Ruled, Tx};

mod acts;
mod breaks;
mod claims;
mod dice_line;
mod found;
mod undo;

use breaks::{broken, count_breaks};
pub use undo::Conflict;

/// An event but for its number, its moment and its place in the chain.
pub struct Draft {
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

/// Why a command came to nothing.
pub enum No {
    /// The law says no.
    Refused(Refusal),
    /// It makes a ruling, and the log is not at hand.
    NeedsPast,
}

impl From<Refusal> for No {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What is decided: a command, on a state, under its law, as the event of a number.
pub struct Case<'a> {
    /// The state before.
    pub state: &'a State,
    /// The number that the event would have.
    pub seq: EventSeq,
    /// The law in force.
    pub law: &'a Arc<Law>,
    /// The command.
    pub command: &'a Command,
}

/// What a command comes to, and what is left for the next one.
pub struct Decision {
    /// The event, or why there is none.
    pub draft: Result<Draft, No>,
    /// What is left, whatever came of it.
    pub remains: Remains,
}

/// Says what a ruling comes to; nothing where the whole log is not at hand.
pub type Rulings<'a> = dyn Fn(&Named) -> Option<Result<Ruling, Refusal>> + 'a;

/// Decides a command. Answers of the law that are kept in `caches` are taken from there, and new ones kept.
pub fn decide(
    case: &Case<'_>,
    inputs: &Inputs<'_>,
    caches: &mut Caches,
    rulings: &Rulings<'_>,
) -> Decision {
    let mut remains = Remains {
        dictated: inputs.dictated.clone(),
        made: inputs.made,
    };
    let draft = if let Act::Found(founding) = &case.command.act {
        found::found(case, founding, inputs).map_err(No::from)
    } else {
        judge(case, inputs, caches, rulings, &mut remains)
    };
    Decision { draft, remains }
}

/// Judges a command of a game that has begun.
fn judge(
    case: &Case<'_>,
    inputs: &Inputs<'_>,
    caches: &mut Caches,
    rulings: &Rulings<'_>,
    remains: &mut Remains,
) -> Result<Draft, No> {
    if case.state.about.is_empty() {
        return Err(Refusal::plain("a game that has been founded").into());
    }
    let plan = Plan::of(case, inputs)?;
    let run = |ruled: Ruled, caches: &mut Caches, remains: &mut Remains| {
        let known = std::mem::take(caches);
        let (seq, at) = (case.seq, case.command.at);
        let tx = Tx::new(case.state, seq, at, case.law, plan.deck.clone(), known);
        tx.count_from(remains.made);
        tx.set_ruled(ruled);
        let draft = run(&tx, case, &plan, inputs.past, remains);
        let ruled = tx.ruled();
        if matches!(ruled, Ruled::Wanted(_)) {
            tx.start_again();
        }
        *caches = std::mem::take(&mut *tx.caches());
        (draft, ruled)
    };
    let (draft, ruled) = run(Ruled::Unasked, caches, remains);
    let Ruled::Wanted(named) = ruled else {
        return Ok(draft?);
    };
    // What the ruling comes to is worked out apart; then the command is judged once more, knowing it.
    let ruling = rulings(&named).ok_or(No::NeedsPast)?;
    Ok(run(Ruled::Known(named, ruling), caches, remains).0?)
}

/// Runs a command through the law: the act, what follows from it, and the event that it makes.
fn run(
    tx: &Tx,
    case: &Case<'_>,
    plan: &Plan,
    past: &[Event],
    remains: &mut Remains,
) -> Result<Draft, Refusal> {
    let command = case.command;
    let frame = Frame {
        actor: acting_player(command),
        ..Frame::of(case.law)
    };
    if let (Act::Answer { value, .. }, Some(open)) = (&command.act, &plan.open) {
        acts::answer_fits(tx, open, value)?;
    }
    let done = tx.within(frame.clone(), || {
        if plan.open.is_some() {
            close_open(tx, &plan.key());
        }
        acts::act(tx, command, past, plan.open.as_ref()).and_then(|()| finish(tx))
    });
    *remains = Remains {
        dictated: tx.deck().left_over(),
        made: tx.made(),
    };
    match done {
        Ok(()) => Ok(draft(tx, Outcome::Done, frame)),
        Err(Stop::Asks(question)) => opened(tx, plan, command, &question, frame),
        Err(Stop::Refused(refusal)) => not_done(tx, plan, *refusal, frame),
        Err(Stop::Broken(fault)) => {
            let refusal = broken(tx, &fault);
            not_done(tx, plan, refusal, frame)
        }
    }
}

/// Whose move it is: the sender's; for an open action at its deadline, that of the player whose it is.
fn acting_player(command: &Command) -> Option<PlayerId> {
    let resumed = chance::resumed(command.actor, &command.act);
    let sender = command.actor.player();
    sender.or_else(|| resumed.map(|resumed| resumed.who))
}

/// Where a command's dice come from, and what it resumes.
struct Plan {
    deck: Deck,
    /// What hides the command's own words, whatever seed its dice come from.
    own: Seed,
    seed: SeedId,
    /// The action that may wait, and whose it is.
    action: Option<OpenKey>,
    /// The open action that is resumed.
    open: Option<Open>,
    dice_before: usize,
}

impl Plan {
    fn of(case: &Case<'_>, inputs: &Inputs<'_>) -> Result<Self, Refusal> {
        let Case { state, command, .. } = case;
        let action = chance::resumed(command.actor, &command.act);
        let open = action.as_ref().and_then(|key| state.open.get(key).cloned());
        let starts = matches!(command.act, Act::Do { .. });
        if starts && open.is_some() {
            return Err(Refusal::plain(
                "an answer to the question that this action waits for, or to give it up",
            ));
        }
        if matches!(command.act, Act::Answer { .. } | Act::Abandon { .. }) && open.is_none() {
            return Err(Refusal::plain(
                "an action of yours that waits for an answer",
            ));
        }
        let (seed, dice) = chance::source(state, command.actor, &command.key, &command.act);
        let mut answers: Vec<Chosen> = open
            .as_ref()
            .map(|open| open.tape.answers.clone())
            .unwrap_or_default();
        if let Some(open) = &open
            && let Some(value) = given_answer(&command.act, open)
        {
            answers.push(Chosen {
                what: open.question.what.clone(),
                value,
            });
        }
        let dice_before = dice.len();
        let known = inputs.known.cloned().unwrap_or_default();
        // Keys that are shown later must not tell who wrote without a name, and those that were shown are none for dice that
        // fall anew on another line of history.
        let apart = inputs.on_another_line || case.law.hides_author_of(&command.act);
        let lot = Lot::of(&inputs.secret, state, &seed, apart);
        let deck = match inputs.tape {
            // The dice come from the tape, and the salts of what was closed from the seed as before.
            Some(tape) => Deck::recorded(tape, Some(lot)),
            None => Deck::seeded(lot)
                .knowing(dice, &answers)
                .knowing(
                    &beyond(dice, &known.dice, |die| &die.what),
                    &beyond(&answers, &known.answers, |chosen| &chosen.what),
                )
                .dictated(inputs.dictated.clone()),
        };
        Ok(Self {
            deck,
            own: command.closed_seed(&inputs.secret),
            seed,
            action,
            open,
            dice_before,
        })
    }

    fn key(&self) -> OpenKey {
        let open = self.action.clone();
        open.expect("only an action of a player can be open")
    }
}

/// What the second list holds beyond the first: of each kind, as many as it has more.
fn beyond<T: Clone>(first: &[T], second: &[T], kind: impl Fn(&T) -> &String) -> Vec<T> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for item in first {
        *counts.entry(kind(item)).or_default() += 1;
    }
    let is_beyond = |item: &&T| match counts.get_mut(kind(item)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    second.iter().filter(is_beyond).cloned().collect()
}

fn given_answer(act: &Act, open: &Open) -> Option<Value> {
    match act {
        Act::Answer { value, .. } => Some(match value.open() {
            Value::Text(text) => Value::Word(Name::from(text.as_str())),
            other => other.clone(),
        }),
        Act::Due { .. } => Some(open.question.default.clone()),
        _ => None,
    }
}

/// What follows from the act, until nothing moves, and the last look.
fn finish(tx: &Tx) -> Answer<()> {
    follow::follow(tx)?;
    while entities::sweep_references(tx) {
        follow::follow(tx)?;
    }
    last_look::check(tx)?;
    count_breaks(tx);
    if tx.law_changed() {
        new_law::take(tx);
    }
    Ok(())
}

/// The event of a run that stands.
fn draft(tx: &Tx, outcome: Outcome, frame: Frame) -> Draft {
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
    Draft {
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

fn hide_answers(tx: &Tx, tape: &mut Tape) {
    let deck = tx.deck();
    let answers = tape.answers.iter_mut().map(|chosen| &mut chosen.value);
    hide(answers, TAPE_SALT, &|nth| deck.salt(nth));
}

/// Sets the clocks of a law that begins: what it schedules, and tests of its own that hold already.
fn under_new_law(tx: &Tx, law: &Arc<Law>) {
    let new = tx.beside(&tx.state(), tx.now, law);
    new.continue_ids(tx.made());
    automatics::schedule_all(&new);
    conditions::begin(&new);
    for step in new.finish().steps {
        tx.write(step.effect, step.way);
    }
}

/// A question of the one who acts: the action waits.
fn opened(
    tx: &Tx,
    plan: &Plan,
    command: &Command,
    question: &Question,
    frame: Frame,
) -> Result<Draft, Refusal> {
    let (Some(_), Some(mut args)) = (&plan.action, arguments(command, plan)) else {
        return Err(Refusal {
            rule_id: question.site.rule.clone(),
            clause: question.site.clause,
            ..Refusal::plain(format!(
                "a moment in which somebody can be asked \"{}\"",
                question.what
            ))
        });
    };
    let key = plan.key();
    let mut tape = tx.deck().tape();
    let hides = tx.law.keeps_secrets();
    if hides {
        let given = args.iter_mut().map(|(_, value)| value);
        hide(given, GIVEN_SALT, &|nth| plan.own.salt(nth));
        hide_answers(tx, &mut tape);
    }
    let began_at = plan.open.as_ref().map_or(command.at, |open| open.began_at);
    let within = question.within.unwrap_or(quorate_kernel::Span::hours(1));
    let default = question.default.as_ref().or(if question.may_decline {
        None
    } else {
        question.options.first()
    });
    tx.start_again();
    let keep = |datum: &quorate_law::datum::Datum| {
        let value = convert::plain_value(datum).unwrap_or_default();
        if hides {
            value.hidden(tx.salt())
        } else {
            value
        }
    };
    let open = Open {
        args,
        seed: plan.seed.clone(),
        tape: tape.clone(),
        question: quorate_kernel::rows::Asked {
            what: question.what.clone(),
            options: question.options.iter().map(keep).collect(),
            may_decline: question.may_decline,
            default: default.map(keep).unwrap_or_default(),
        },
        began_at,
        deadline: command.at + within,
    };
    let deadline = open.deadline;
    tx.within(frame.clone(), || {
        tx.set_due(DueKey::Open(key.who, key.action.clone()), Some(deadline));
        tx.put(key.clone(), open);
        drop_waiting(tx, &key);
    });
    let mut draft = draft(tx, Outcome::Opened(key), frame);
    draft.tape = tape;
    Ok(draft)
}

fn arguments(command: &Command, plan: &Plan) -> Option<Vec<(Name, Value)>> {
    match (&command.act, &plan.open) {
        (Act::Do { args, .. }, _) => Some(args.clone()),
        (_, Some(open)) => Some(open.args.clone()),
        _ => None,
    }
}

/// A refusal. Where dice fell they are known now, and wait for the same player's next go.
fn not_done(tx: &Tx, plan: &Plan, refusal: Refusal, frame: Frame) -> Result<Draft, Refusal> {
    let mut dice = tx.deck().rolled().to_vec();
    let was_open = plan.open.is_some();
    if let Some(open) = &plan.open {
        // The run may have ended before it came to dice that fell already.
        let fell = &open.tape.dice;
        if dice.len() < fell.len() {
            dice.clone_from(fell);
        }
    }
    tx.start_again();
    if !was_open && dice.len() <= plan.dice_before {
        return Err(refusal);
    }
    let Some(OpenKey { who, action }) = plan.action.clone() else {
        return Err(refusal);
    };
    let key = OpenKey { who, action };
    tx.within(frame.clone(), || {
        if plan.open.is_some() {
            close_open(tx, &key);
        }
        if !dice.is_empty() {
            let new = Waiting {
                seed: plan.seed.clone(),
                dice: dice.clone(),
            };
            tx.put(key, new);
        }
    });
    let outcome = if was_open {
        Outcome::Lapsed(refusal)
    } else {
        Outcome::Refused(refusal)
    };
    let mut draft = draft(tx, outcome, frame);
    draft.tape.dice = dice;
    Ok(draft)
}

fn close_open(tx: &Tx, key: &OpenKey) {
    tx.set_due(DueKey::Open(key.who, key.action.clone()), None);
    tx.remove::<Open>(key.clone());
}

/// Dice that waited are used up with the action that used them.
pub(crate) fn drop_waiting(tx: &Tx, key: &OpenKey) {
    tx.remove::<Waiting>(key.clone());
}
