//! A copy of a game to try changes on: the game as one reader may see it.

use std::collections::BTreeMap;

use quorate_engine::conventions;
use quorate_engine::judge::{Inputs, Judge, Judged};
use quorate_engine::tx::Tx;
use quorate_engine::view::View;
use quorate_engine::words::{kind_title, worded};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_kernel::event::{self, Event};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::{EventSeq, Moment, Name, PlayerId, Refusal, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::{capital, readable};

use crate::consequence::Called;

/// What the caller reads of a game's log.
pub trait PastEvents {
    /// One event, its seals open; none where there is no such event or it cannot be read.
    fn event(&self, seq: EventSeq) -> Option<Event>;

    /// All events up to the fork's, for a patch by which history is judged again; a refusal where they cannot be read.
    fn log(&self) -> Result<Vec<Event>, Refusal>;
}

/// A game as one reader may see it, to try things on.
pub struct Fork<'a> {
    /// The game. What is hidden from the reader is as if it had never been set ([`View::blind`]).
    pub judge: Judge,
    /// Who reads.
    pub reader: Reader,
    /// Whether anything is hidden from the reader.
    pub is_blind: bool,
    /// The moment at which everything is tried.
    pub now: Moment,
    /// The log.
    pub past: &'a dyn PastEvents,
    /// Whether the time is over in which the forecast is to be made; once it is, it stays so.
    pub time_is_over: &'a dyn Fn() -> bool,
}

impl Fork<'_> {
    /// Whether it has had its time, or all that the code which it runs may use together.
    pub(crate) fn is_over(&self) -> bool {
        (self.time_is_over)() || self.judge.is_spent()
    }

    /// Changes that cannot be tried for the reader without telling them what is hidden: a ruling plays the game again with
    /// all that was given to it, and whatever stands beside it would find that.
    pub(crate) fn may_try(&self, patch: &Patch) -> Result<(), Refusal> {
        let alone =
            |clause: &Clause| matches!(clause, Clause::Strike { .. } | Clause::Prose { .. });
        let is_mixed = patch.clauses.iter().any(strikes) && !patch.clauses.iter().all(alone);
        if is_mixed && self.judge.law().keeps_secrets() {
            return Err(Refusal::plain(
                "a ruling without other changes, for tried together they could tell what is hidden",
            ));
        }
        Ok(())
    }

    /// Asks the law of a copy something at the fork's moment. Nothing is changed.
    pub(crate) fn ask<T>(&self, judge: &Judge, question: impl FnOnce(&Tx) -> T) -> T {
        judge.query(self.now, question)
    }

    /// What the reader may see of the game as it is.
    pub(crate) fn view(&self) -> View<'_> {
        self.view_of(&self.judge)
    }

    /// What the reader may see of a copy.
    pub(crate) fn view_of<'j>(&self, judge: &'j Judge) -> View<'j> {
        View {
            state: judge.state(),
            law: judge.law(),
            reader: self.reader,
        }
    }

    /// A text in the words of today's theme.
    pub(crate) fn themed(&self, text: &str) -> String {
        worded(self.judge.state(), text)
    }

    /// The theme's word for a token, or the token.
    pub(crate) fn word(&self, token: &str) -> String {
        let marked = format!("{{{token}}}");
        let word = self.themed(&marked);
        if word == marked {
            token.to_owned()
        } else {
            word
        }
    }

    /// The theme's word for one thing of a kind.
    pub(crate) fn kind_title(&self, kind: &Name) -> String {
        kind_title(self.judge.state(), self.judge.law(), kind)
    }

    /// A player with their name.
    pub(crate) fn player(&self, id: PlayerId) -> Called {
        let person = self.judge.state().people.get(&id);
        let name = person.and_then(|person| person.name.shared());
        Called {
            thing: Thing::Player(id),
            called: name.map_or_else(
                || format!("Player {}", id.0.event()),
                |name| name.to_string(),
            ),
        }
    }

    /// A thing with what it is called on a copy.
    pub(crate) fn called(&self, judge: &Judge, thing: &Thing) -> Called {
        let called = match thing {
            Thing::Game => judge
                .state()
                .about
                .get(&())
                .map_or_else(String::new, |about| about.title.clone()),
            Thing::Player(id) => return self.player(*id),
            Thing::Post(id) => {
                let post = judge.state().posts.get(id);
                post.map_or_else(String::new, |post| self.themed(post.title.as_str()))
            }
            thing => self.ask(judge, |tx| tx.label(&Datum::Thing(thing.clone()))),
        };
        Called {
            thing: thing.clone(),
            called,
        }
    }

    /// The title of a value as today's law has it, or its code name in words.
    pub(crate) fn value_title(&self, key: &CellKey) -> String {
        let of_player = matches!(key.thing, Thing::Player(_));
        let mut values = self.judge.law().values.iter();
        let decl =
            values.find(|((kind, name), _)| *name == key.name && of_player == (*kind == "Player"));
        decl.map_or_else(
            || capital(&readable(key.name.as_str())),
            |(_, decl)| self.themed(&decl.it.title),
        )
    }

    /// Whether a flag of a thing is up, as far as the reader may know: one that the law keeps, or computes.
    pub(crate) fn has_flag(&self, thing: &Thing, name: &str) -> bool {
        let key = CellKey {
            thing: thing.clone(),
            name: name.into(),
        };
        let view = self.view();
        if !view.shown(&key) {
            return false;
        }
        if let Some(cell) = self.judge.state().cells.get(&key) {
            return *cell.value.open() == Value::Flag(true);
        }
        let answer = self.ask(&self.judge, |tx| tx.attribute(&key.thing, name));
        view.computed(&key.thing, name) && answer.is_ok_and(|flag| flag == Datum::Bool(true))
    }

    /// Everybody on the books who is not idle, by name.
    pub(crate) fn active(&self) -> Vec<PlayerId> {
        let people = self.judge.state().people.iter();
        let members = people.filter(|(_, person)| person.standing == Standing::Member);
        let by_name: BTreeMap<(String, PlayerId), PlayerId> = members
            .map(|(id, _)| ((self.player(*id).called.to_lowercase(), *id), *id))
            .collect();
        let all = by_name.into_values();
        all.filter(|id| !self.has_flag(&Thing::Player(*id), conventions::IDLE))
            .collect()
    }
}

/// All changes, those that hang on a condition too.
pub(crate) fn flat(clauses: &[Clause]) -> Vec<&Clause> {
    let each = clauses.iter().flat_map(|clause| match clause {
        Clause::When { clauses, .. } => flat(clauses),
        plain => vec![plain],
    });
    each.collect()
}

/// Whether a change has history judged again, on a condition or without.
pub(crate) fn strikes(clause: &Clause) -> bool {
    match clause {
        Clause::Strike { .. } => true,
        Clause::When { clauses, .. } => clauses.iter().any(strikes),
        _ => false,
    }
}

/// A command of a trial. Its key is none of a person's, so its dice are none of the game's.
pub fn trial_command(at: Moment, actor: Actor, act: Act) -> Command {
    Command {
        at,
        actor,
        key: "trial".into(),
        act,
    }
}

/// Sends an act to a copy. Gives the number of its event.
pub(crate) fn send(
    judge: &mut Judge,
    at: Moment,
    actor: Actor,
    act: Act,
) -> Result<EventSeq, Refusal> {
    let command = trial_command(at, actor, act);
    outcome(judge.judge(&command, &Inputs::default())).map(|event| event.seq)
}

/// Tries a command on a copy; the log is read where it is needed.
pub fn tried(
    judge: &mut Judge,
    command: &Command,
    inputs: &Inputs<'_>,
    past: &dyn PastEvents,
) -> Result<Event, Refusal> {
    let mut judged = judge.judge(command, inputs);
    if matches!(judged, Judged::NeedsPast) {
        let log = past.log()?;
        let inputs = Inputs {
            past: &log,
            ..Inputs::default()
        };
        judged = judge.judge(command, &inputs);
    }
    outcome(judged)
}

/// What came of a trial: an event that came to nothing is a refusal.
pub fn outcome(judged: Judged) -> Result<Event, Refusal> {
    let event = judged.event()?;
    match &event.outcome {
        event::Outcome::Refused(refusal) | event::Outcome::Lapsed(refusal) => Err(refusal.clone()),
        event::Outcome::Done | event::Outcome::Opened(_) => Ok(event),
    }
}
