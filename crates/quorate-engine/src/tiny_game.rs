//! A game of one rule and one player, for tests of what is decided.

use std::sync::Arc;

use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, Command, Founding, NewPost, typed};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{EventSeq, Id, Moment, Name, PlayerId, PostId, Refusal, Thing, Value};
use quorate_law::datum::Datum;
use serde_json::Value as Json;

use crate::inputs::{Dictated, Inputs};
use crate::judge::Judge;
use crate::request::{CommandReader, RequestError};
use crate::rulebook::{EDITION, Rulebook};
use crate::tx::{Frame, Tx};
use crate::view::View;

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
    /// Every event so far, for undos and rulings.
    pub(crate) log: Vec<Event>,
}

/// Founds a game of some code, which must not sleep.
pub(crate) fn game(code: &str) -> TinyGame {
    game_of_edition(code, EDITION)
}

/// The same under an edition of the library.
pub(crate) fn game_of_edition(code: &str, edition: u16) -> TinyGame {
    let founding = Founding {
        edition,
        ..founding(code)
    };
    let mut game = TinyGame::unfounded();
    let founded = game.found(founding);
    assert!(founded.is_ok(), "{founded:?}");
    let asleep = &game.judge.law().asleep;
    assert!(asleep.is_empty(), "{asleep:?}");
    game
}

/// What founds a game of some code.
pub(crate) fn founding(code: &str) -> Founding {
    book(code).founding("A game", "Anna").expect("it reads")
}

/// The rulebook of a game of some code.
pub(crate) fn book(code: &str) -> Rulebook {
    let rule =
        format!("---\nsection: rules\n---\n# House\n\n1. So it is.\n\n```starlark\n{code}\n```\n");
    Rulebook {
        name: "t".into(),
        manifest: toml::from_str(MANIFEST).expect("it reads"),
        library: Vec::new(),
        rules: vec![("1-rules/01-house.md".to_owned(), rule)],
        tests: Vec::new(),
    }
}

/// A post that changes nothing.
pub(crate) fn new_post(category: &str, title: &str) -> NewPost {
    NewPost::plain(category, title, "So be it.")
}

impl TinyGame {
    /// A game that is yet to be founded.
    pub(crate) fn unfounded() -> Self {
        Self {
            judge: Judge::unfounded(&Arc::default()),
            anna: PlayerId(Id::new(EventSeq(1), 0)),
            now: "2031-05-04T09:00Z".parse().expect("a moment"),
            log: Vec::new(),
        }
    }

    /// Founds it; the first on its roster is Anna from then on.
    pub(crate) fn found(&mut self, founding: Founding) -> Result<Event, Refusal> {
        let event = self.send(Actor::Operator, Act::Found(Box::new(founding)))?;
        let mut people = self.judge.state().people.keys();
        self.anna = *people.next().expect("the founder");
        Ok(event)
    }

    /// What a command comes to; an event that was refused or lapsed is a refusal.
    pub(crate) fn send(&mut self, actor: Actor, act: Act) -> Result<Event, Refusal> {
        self.send_throwing(actor, act, &[])
    }

    /// The same, where the next dice are known.
    fn send_throwing(&mut self, actor: Actor, act: Act, dice: &[i64]) -> Result<Event, Refusal> {
        let command = Command {
            at: self.now,
            actor,
            key: Name::from(format!("k{}", self.judge.head().seq)),
            act,
        };
        let inputs = Inputs {
            past: &self.log,
            dictated: Dictated {
                dice: dice.iter().copied().collect(),
                ..Dictated::default()
            },
            ..Inputs::default()
        };
        let event = self.judge.judge(&command, &inputs).event()?;
        self.log.push(event.clone());
        match event.outcome {
            Outcome::Refused(refusal) | Outcome::Lapsed(refusal) => Err(refusal),
            _ => Ok(event),
        }
    }

    /// Lets time pass: what falls due until then happens.
    pub(crate) fn wait(&mut self, until: Moment) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(due) = self.judge.due_command(until) {
            self.now = due.at;
            events.push(self.send(Actor::Game, due.act).expect("it falls due"));
        }
        self.now = until;
        events
    }

    /// Anna takes an event back; an undo that is refused is a refusal.
    pub(crate) fn undo(&mut self, event: Event) -> Result<Event, Refusal> {
        let act = Act::Undo {
            event: event.seq,
            picks: Vec::new(),
            reason: typed(""),
        };
        self.send(Actor::Player(self.anna), act)
    }

    /// An action of Anna's.
    pub(crate) fn act(&mut self, action: &str, args: &[(&str, Value)]) -> Result<Event, Refusal> {
        self.act_throwing(action, args, &[])
    }

    /// An action of Anna's whose dice are known.
    pub(crate) fn act_throwing(
        &mut self,
        action: &str,
        args: &[(&str, Value)],
        dice: &[i64],
    ) -> Result<Event, Refusal> {
        let args = args
            .iter()
            .map(|(name, value)| ((*name).into(), value.clone()));
        let act = Act::Do {
            action: action.into(),
            args: args.collect(),
        };
        self.send_throwing(Actor::Player(self.anna), act, dice)
    }

    /// A post of Anna's.
    pub(crate) fn post(&mut self, post: NewPost) -> Result<PostId, Refusal> {
        let event = self.send(Actor::Player(self.anna), Act::Post(Box::new(post)))?;
        Ok(PostId(Id::new(event.seq, 0)))
    }

    /// A comment of Anna's.
    pub(crate) fn comment(&mut self, post: PostId, text: &str) -> Result<Event, Refusal> {
        let text = typed(text);
        self.send(Actor::Player(self.anna), Act::Comment { post, text })
    }

    /// A change that Anna makes by hand.
    pub(crate) fn claim(&mut self, clauses: Vec<Clause>) -> Result<Event, Refusal> {
        let act = Act::Claim {
            patch: Sealed::close(Patch { clauses }, [0; 16]),
            rule: "house".into(),
            reason: typed("so it is"),
        };
        self.send(Actor::Player(self.anna), act)
    }

    /// The change of a number of Anna's.
    pub(crate) fn set(&self, name: &str, value: i64) -> Clause {
        Clause::SetValue {
            thing: Thing::Player(self.anna),
            name: name.into(),
            value: Value::Int(value),
        }
    }

    /// The amendment of the rule that puts some words in the place of others.
    pub(crate) fn amendment(&self, from: &str, to: &str) -> Clause {
        let id = Name::from("house");
        let base = Arc::clone(&self.judge.state().rules[&id].text);
        assert!(base.contains(from), "{from}");
        let text = base.replace(from, to).into();
        Clause::AmendRule { id, base, text }
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

    /// The act that Anna asks for by its name and with arguments.
    pub(crate) fn read(&self, action: &str, arguments: Json) -> Result<Act, RequestError> {
        let request = serde_json::json!({ "action": action, "arguments": arguments });
        let request = serde_json::from_value(request).expect("it is a request");
        self.ask(|tx| {
            let reader = CommandReader {
                tx,
                view: View {
                    state: self.judge.state(),
                    law: self.judge.law(),
                    reader: Reader::Law,
                },
                actor: Actor::Player(self.anna),
                name: "Anna",
                past: &self.log,
            };
            reader.act(request)
        })
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
