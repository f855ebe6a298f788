//! A game of one rule and one player, for tests of what is decided.

use std::sync::Arc;

use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{EventSeq, Id, Moment, Name, PlayerId, Refusal, Thing, Value};
use quorate_law::datum::Datum;

use crate::inputs::Inputs;
use crate::judge::Judge;
use crate::rulebook::{EDITION, Rulebook};
use crate::tx::{Frame, Tx};

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

/// Code of a value that costs 40,000 steps.
pub(crate) const COSTLY: &str = r#"def worthy(p: Player) -> int:
    n = 0
    for i in range(40000): n += 1
    return n

worth = derived("Worth", worthy, of = player)"#;

/// A game whose one rule `house` has some code, and its player Anna.
pub(crate) struct TinyGame {
    pub(crate) judge: Judge,
    pub(crate) anna: PlayerId,
    pub(crate) now: Moment,
}

/// Founds a game of some code, which must not sleep.
pub(crate) fn game(code: &str) -> TinyGame {
    game_of_edition(code, EDITION)
}

/// The same under an edition of the library.
pub(crate) fn game_of_edition(code: &str, edition: u16) -> TinyGame {
    let rule =
        format!("---\nsection: rules\n---\n# House\n\n1. So it is.\n\n```starlark\n{code}\n```\n");
    let book = Rulebook {
        name: "t".into(),
        manifest: toml::from_str(MANIFEST).expect("it reads"),
        library: Vec::new(),
        rules: vec![("1-rules/01-house.md".to_owned(), rule)],
        tests: Vec::new(),
    };
    let mut founding = book.founding("A game", "Anna").expect("it reads");
    founding.edition = edition;
    let mut game = TinyGame {
        judge: Judge::unfounded(&Arc::default()),
        anna: PlayerId(Id::new(EventSeq(1), 0)),
        now: "2031-05-04T09:00Z".parse().expect("a moment"),
    };
    let founded = game.send(Actor::Operator, Act::Found(Box::new(founding)));
    assert!(founded.is_ok(), "{founded:?}");
    let asleep = &game.judge.law().asleep;
    assert!(asleep.is_empty(), "{asleep:?}");
    let mut people = game.judge.state().people.keys();
    game.anna = *people.next().expect("the founder");
    game
}

impl TinyGame {
    /// What a command comes to; an event that was refused or lapsed is a refusal.
    pub(crate) fn send(&mut self, actor: Actor, act: Act) -> Result<Event, Refusal> {
        self.send_with(actor, act, &Inputs::default())
    }

    /// Anna takes an event back; an undo that is refused is a refusal.
    pub(crate) fn undo(&mut self, event: Event) -> Result<Event, Refusal> {
        let act = Act::Undo {
            event: event.seq,
            picks: Vec::new(),
            reason: typed(""),
        };
        let inputs = Inputs {
            past: &[event],
            ..Inputs::default()
        };
        self.send_with(Actor::Player(self.anna), act, &inputs)
    }

    fn send_with(&mut self, actor: Actor, act: Act, inputs: &Inputs<'_>) -> Result<Event, Refusal> {
        let command = Command {
            at: self.now,
            actor,
            key: Name::from(format!("k{}", self.judge.head().seq)),
            act,
        };
        let event = self.judge.judge(&command, inputs).event()?;
        match event.outcome {
            Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => Err(refusal),
            _ => Ok(event),
        }
    }

    /// An action of Anna's.
    pub(crate) fn act(&mut self, action: &str, args: &[(&str, Value)]) -> Result<Event, Refusal> {
        let args = args
            .iter()
            .map(|(name, value)| ((*name).into(), value.clone()));
        let act = Act::Do {
            action: action.into(),
            args: args.collect(),
        };
        self.send(Actor::Player(self.anna), act)
    }

    /// A change by the operator.
    pub(crate) fn change(&mut self, clauses: Vec<Clause>) -> Event {
        let patch = Patch { clauses };
        let act = Act::Repair {
            patch: Sealed::close(patch, [0; 16]),
            reason: Sealed::close("so it is", [0; 16]),
        };
        self.send(Actor::Operator, act).expect("the operator may")
    }

    /// A value of Anna's.
    pub(crate) fn value(&self, name: &str) -> Datum {
        let anna = Thing::Player(self.anna);
        self.judge.query(self.now, |tx| {
            tx.attribute(&anna, name).expect("it is declared")
        })
    }

    /// A question to a run over the game as it is, with Anna as the one who acts.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&Tx) -> T) -> T {
        self.judge.query(self.now, |tx| {
            let frame = Frame {
                actor: Some(self.anna),
                ..Frame::of(&tx.law)
            };
            tx.within(frame, || question(tx))
        })
    }
}
