//! What a command does to a game: a pure function of state, law, command and dice.

use std::collections::BTreeMap;

use quorate_kernel::chance;
use quorate_kernel::command::{Act, Command, GIVEN_SALT, hide};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::rows::{DueKey, Open, OpenKey, Waiting};
use quorate_kernel::tape::{Chosen, Seed, SeedId};
use quorate_kernel::{Name, PlayerId, Refusal, Value};
use quorate_law::stop::{Question, Stop};

use crate::convert;
use crate::inputs::{Inputs, Remains};
use crate::memo::Caches;
use crate::ruling::{NamedRuling, Ruling};
use crate::topics::{actions, first_edition, owed};
use crate::tx::{Deck, Enacting, Frame, Lot, Ruled, Tx};

mod acts;
mod breaks;
mod claims;
mod dice_line;
mod draft;
mod found;
mod refusals;
mod undo;

pub(crate) use acts::may_abandon;
use breaks::broken;
pub use draft::{Case, EventDraft};
use draft::{draft, finish, hide_answers};
pub use undo::Conflict;

/// The edition of the library from which on a change that the law refuses is left out of an enactment, and the rest is made.
const ONE_BY_ONE_SINCE: u16 = 2;

/// Why a command came to nothing.
pub enum No {
    /// The rules say no.
    Refused(Refusal),
    /// It makes a ruling, and the log is not at hand.
    NeedsPast,
}

impl From<Refusal> for No {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What a command comes to, and what is left for the next one.
pub struct Decision {
    /// The event, or why there is none.
    pub draft: Result<EventDraft, No>,
    /// What is left, whatever came of it.
    pub remains: Remains,
}

/// Says what a ruling comes to; nothing where the whole log is not at hand.
pub type Rulings<'a> = dyn Fn(&NamedRuling) -> Option<Result<Ruling, Refusal>> + 'a;

/// Decides a command. Answers of the law that are kept in `caches` are taken from there, and new ones kept.
pub fn decide(
    case: &Case<'_>,
    inputs: &Inputs<'_>,
    caches: &mut Caches,
    rulings: &Rulings<'_>,
) -> Decision {
    let mut remains = Remains {
        dictated: inputs.dictated.clone(),
        misfit: None,
        made: inputs.made,
        ..Remains::default()
    };
    let draft = if let Act::Found(founding) = &case.command.act {
        found::found(case, founding, inputs).map_err(No::from)
    } else {
        judge(case, inputs, caches, rulings, &mut remains)
    };
    let draft = draft.map_err(|no| match no {
        No::Refused(refusal) => No::Refused(refusals::completed(case, refusal)),
        No::NeedsPast => No::NeedsPast,
    });
    Decision { draft, remains }
}

/// Judges a command of a game that has begun.
fn judge(
    case: &Case<'_>,
    inputs: &Inputs<'_>,
    caches: &mut Caches,
    rulings: &Rulings<'_>,
    remains: &mut Remains,
) -> Result<EventDraft, No> {
    if case.state.about.is_empty() {
        return Err(Refusal::plain("a game that has been founded").into());
    }
    let plan = DicePlan::of(case, inputs)?;
    let run_as = |ruled: Ruled, how: Enacting, caches: &mut Caches, remains: &mut Remains| {
        let known = std::mem::take(caches);
        let (seq, at) = (case.seq, case.command.at);
        let tx = Tx::new(case.state, seq, at, case.law, plan.deck.clone(), known);
        tx.keep_laws_in(case.laws);
        tx.count_from(remains.made);
        tx.set_ruled(ruled);
        tx.take_needs_as_met(inputs.as_if_met);
        tx.set_enacting(how);
        let draft = run(&tx, case, &plan, inputs.past, remains);
        let ruled = tx.ruled();
        let is_held_up = tx.enacting() == Enacting::Whole && is_refused(&draft);
        if matches!(ruled, Ruled::Wanted(_)) || is_held_up {
            tx.start_again();
        }
        *caches = std::mem::take(&mut *tx.caches());
        (draft, ruled, is_held_up)
    };
    // No change that a post carries holds up the others, nor the queue behind it.
    let run = |ruled: Ruled, caches: &mut Caches, remains: &mut Remains| {
        let (draft, ruled_then, is_held_up) = run_as(ruled.clone(), Enacting::Not, caches, remains);
        if !is_held_up || case.law.code.edition() < ONE_BY_ONE_SINCE {
            return (draft, ruled_then);
        }
        let (draft, ruled_then, _) = run_as(ruled, Enacting::OneByOne, caches, remains);
        (draft, ruled_then)
    };
    let (draft, ruled) = run(Ruled::Unasked, caches, remains);
    let Ruled::Wanted(named) = ruled else {
        return Ok(draft?);
    };
    // What the ruling comes to is worked out apart; then the command is judged once more, knowing it.
    let ruling = rulings(&named).ok_or(No::NeedsPast)?;
    Ok(run(Ruled::Known(named, ruling), caches, remains).0?)
}

/// Whether a run came to nothing because the law said no.
fn is_refused(draft: &Result<EventDraft, Refusal>) -> bool {
    match draft {
        Err(_) => true,
        Ok(draft) => matches!(draft.outcome, Outcome::Refused(_) | Outcome::Lapsed(_)),
    }
}

/// Runs a command through the law: the act, what follows from it, and the event that it makes.
fn run(
    tx: &Tx,
    case: &Case<'_>,
    plan: &DicePlan,
    past: &[Event],
    remains: &mut Remains,
) -> Result<EventDraft, Refusal> {
    let command = case.command;
    let frame = Frame {
        actor: acting_player(command),
        ..Frame::of(case.law)
    };
    if let (Act::Do { action, .. }, Some(actor)) = (&command.act, frame.actor) {
        tx.within(frame.clone(), || actions::check_not_open(tx, action, actor))?;
    }
    if let (Act::Answer { value, .. }, Some(open)) = (&command.act, &plan.open) {
        acts::answer_fits(tx, open, value)?;
        // Refused here, before the run, the question stays.
        let OpenKey { who, action } = plan.key();
        tx.within(frame.clone(), || owed::check_open(tx, &action, who, open))?;
    }
    if let (Act::Abandon { action }, Some(open)) = (&command.act, &plan.open) {
        acts::may_abandon(tx, &frame, action, open)?;
    }
    let done = tx.within(frame.clone(), || {
        if plan.open.is_some() {
            close_open(tx, &plan.key());
        }
        acts::act(tx, command, past, plan.open.as_ref()).and_then(|()| finish(tx, &command.act))
    });
    let (dictated, misfit) = {
        let deck = tx.deck();
        (deck.left_over(), deck.misfit())
    };
    *remains = Remains {
        dictated,
        misfit,
        made: tx.made(),
        unmet: tx.unmet(),
        enacted: tx.enacted(),
        unmet_conditions: tx.unmet_conditions(),
        losses: tx.losses(),
        used: remains.used + tx.used(),
    };
    match done {
        Ok(()) => Ok(draft(tx, Outcome::Done, frame)),
        Err(Stop::Asks(question)) => opened(tx, plan, command, &question, frame),
        Err(Stop::Refused(refusal)) => not_done(tx, plan, command, *refusal, frame),
        Err(Stop::Broken(fault)) => {
            let refusal = broken(tx, &fault);
            not_done(tx, plan, command, refusal, frame)
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
struct DicePlan {
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

impl DicePlan {
    fn of(case: &Case<'_>, inputs: &Inputs<'_>) -> Result<Self, Refusal> {
        let Case { state, command, .. } = case;
        let action = chance::resumed(command.actor, &command.act);
        let open = action.as_ref().and_then(|key| state.open.get(key).cloned());
        if matches!(command.act, Act::Answer { .. } | Act::Abandon { .. }) && open.is_none() {
            return Err(Refusal::plain(
                "an action of yours that waits for an answer",
            ));
        }
        let (seed, dice) = chance::source(state, command.actor, &command.key, &command.act);
        let mut answers = chance::choices(state, command.actor, &command.act);
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

    /// What was given to the action.
    fn arguments(&self, command: &Command) -> Option<Vec<(Name, Value)>> {
        match (&command.act, &self.open) {
            (Act::Do { args, .. }, _) => Some(args.clone()),
            (_, Some(open)) => Some(open.args.clone()),
            _ => None,
        }
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

/// A question of the one who acts: the action waits.
fn opened(
    tx: &Tx,
    plan: &DicePlan,
    command: &Command,
    question: &Question,
    frame: Frame,
) -> Result<EventDraft, Refusal> {
    let (Some(_), Some(mut args)) = (&plan.action, plan.arguments(command)) else {
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
        // Dice that fell before wait until the action is over: it may be given up before it comes to them.
        let waits = tx.row::<Waiting>(&key);
        if first_edition::is_judged(tx) && waits.is_some_and(|row| row.rolled_for.is_none()) {
            tx.remove::<Waiting>(key.clone());
        }
    });
    let mut draft = draft(tx, Outcome::Opened(key), frame);
    draft.tape = tape;
    Ok(draft)
}

/// A refusal. Where dice fell they are known now, and wait for the same player's next go.
fn not_done(
    tx: &Tx,
    plan: &DicePlan,
    command: &Command,
    refusal: Refusal,
    frame: Frame,
) -> Result<EventDraft, Refusal> {
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
            let args = plan.arguments(command).unwrap_or_default();
            let before = tx.row::<Waiting>(&key).filter(|row| row.are_for(&args));
            let new = Waiting {
                seed: plan.seed.clone(),
                dice: dice.clone(),
                rolled_for: before.and_then(|row| row.rolled_for),
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

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;

    use super::*;
    use crate::tiny_game::game;

    const BILLS: &str = r#"category("Bill", icons = ["for"], statuses = ["pending", "enacted"])
fish = number("Fish", of = player)

def enact(actor: Player, bill: Bill):
    require(False, "a vote")
    apply(bill)
    close(bill, "enacted", "")

def greedy(actor: Player, bill: Bill):
    require(actor.fish > 0, "a fish")
    actor.fish += 7

action("enact", enact)
action("again", enact)
after("again", greedy)"#;

    #[test]
    fn what_is_needed_counts_as_met_up_to_the_enactment_and_is_told() {
        use quorate_kernel::command::{Actor, NewPost};
        use quorate_kernel::{PostId, Thing};

        let mut game = game(BILLS);
        let anna = Actor::Player(game.anna);
        let patch = quorate_kernel::patch::Patch {
            clauses: vec![quorate_kernel::patch::Clause::AddToValue {
                thing: Thing::Player(game.anna),
                name: "fish".into(),
                amount: 0,
            }],
        };
        let post = NewPost::plain("Bill", "A bill", "").with_patch(patch);
        let posted = game.send(anna, Act::Post(Box::new(post))).expect("it is");
        let bill = PostId(quorate_kernel::Id::new(posted.seq, 0));
        let mut enact = |action: &str| {
            let command = Command {
                at: game.now,
                actor: anna,
                key: "k".into(),
                act: Act::Do {
                    action: action.into(),
                    args: vec![("bill".into(), Value::Thing(Thing::Post(bill)))],
                },
            };
            let inputs = Inputs {
                as_if_met: true,
                ..Inputs::default()
            };
            let (judged, remains) = game.judge.judge_on(&command, &inputs);
            (judged.event().map(|event| event.outcome), remains)
        };
        // What a hook needs after it is needed all the same.
        let (refused, _) = enact("again");
        assert_eq!(refused.expect_err("no fish").what(), "a fish");
        let (done, remains) = enact("enact");
        assert_eq!(done, Ok(Outcome::Done));
        assert_eq!(remains.enacted, [bill]);
        let unmet: Vec<&str> = remains.unmet.iter().map(Refusal::what).collect();
        assert_eq!(unmet, ["a vote"]);
    }

    const WONDER: &str = "fish = number(\"Fish\", of = player)\n\ndef wonder(actor: Player):\n    actor.fish = len(choose(\"how many\", [\"a\", \"bb\"]))\n\naction(\"wonder\", wonder)";

    #[test]
    fn an_action_that_asks_waits_and_starts_over_with_the_answer() {
        let mut game = game(WONDER);
        let event = game.act("wonder", &[]).expect("it waits");
        assert!(matches!(event.outcome, Outcome::Opened(_)));
        assert_eq!(game.value("fish"), quorate_law::datum::Datum::Int(0));
        let answer = Act::Answer {
            action: "wonder".into(),
            value: Value::Word("bb".into()),
        };
        let anna = quorate_kernel::command::Actor::Player(game.anna);
        game.send(anna, answer).expect("it is one of those offered");
        assert_eq!(game.value("fish"), quorate_law::datum::Datum::Int(2));
        assert!(game.judge.state().open.is_empty());
    }

    #[test]
    fn a_command_of_a_game_that_has_begun_is_refused_or_leaves_all_as_it_was() {
        let mut game = game(WONDER);
        let before = game.judge.state().clone();
        let refused = game.act("sing", &[]).expect_err("no rule has it");
        assert_eq!(refused.what(), "an action called \"sing\"");
        assert!(refused.is_about(&quorate_kernel::Topic::NoAction));
        assert_eq!(*game.judge.state(), before);
    }
}
