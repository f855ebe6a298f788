//! What not everybody may see stays out of the open part of the log: not in values alone, in what was given for them too.

use std::sync::Arc;

use quorate_engine::rulebook::{Manifest, Rulebook};
use quorate_engine::{Inputs, Judge, LawCache};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, PlayerId, Value};

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

const RULE: &str = r#"---
section: rules
---
# Hides

1. Everybody hides things.

```starlark
hidden = number("Hidden", of = player, shown_to = "owner")
open_one = number("Open", of = player)

def hide(actor: Player, amount: int):
    actor.hidden = amount

def show(actor: Player, amount: int):
    actor.open_one = amount

def wonder(actor: Player, amount: int):
    actor.hidden = amount + len(choose("how much more", ["a", "bb", "ccc"]))

def whisper(actor: Player):
    ask("tell", actor, ["four", "seven"], within = hours(1), default = "four", about = 6)

def tell(who: Player, answer: str, about: int):
    who.open_one = len(answer) + about

decision("tell", tell, hidden = True)
action("hide", hide)
action("show", show)
action("wonder", wonder)
action("whisper", whisper)
```
"#;

struct Game {
    judge: Judge,
    who: PlayerId,
    keys: u64,
}

impl Game {
    fn found() -> Self {
        let manifest: Manifest = toml::from_str(MANIFEST).expect("it reads");
        let book = Rulebook {
            name: "t".into(),
            manifest,
            library: Vec::new(),
            rules: vec![("1-rules/01-hides.md".to_owned(), RULE.to_owned())],
            tests: Vec::new(),
        };
        let laws: Arc<LawCache> = Arc::default();
        let mut game = Self {
            judge: Judge::unfounded(&laws),
            who: PlayerId(quorate_kernel::Id::new(quorate_kernel::EventSeq(1), 0)),
            keys: 0,
        };
        let founding = book.founding("A game", "Anna").expect("it reads");
        game.send(Actor::Operator, Act::Found(Box::new(founding)));
        let asleep = &game.judge.law().asleep;
        assert!(asleep.is_empty(), "{asleep:?}");
        let mut people = game.judge.state().people.keys();
        game.who = *people.next().expect("the founder");
        game
    }

    fn command(&mut self, actor: Actor, act: Act) -> Command {
        self.keys += 1;
        Command {
            at: "2031-05-04T09:00Z".parse::<Moment>().expect("a moment"),
            actor,
            key: Name::from(format!("k{}", self.keys)),
            act,
        }
    }

    fn send(&mut self, actor: Actor, act: Act) -> Event {
        let command = self.command(actor, act);
        let inputs = Inputs {
            secret: [9; 32],
            ..Inputs::default()
        };
        let before = Judge::open(
            self.judge.state().clone(),
            self.judge.head(),
            &Arc::default(),
        );
        let judged = self.judge.judge(&command, &inputs).event();
        let event = judged.unwrap_or_else(|refusal| panic!("refused: {refusal}"));
        again(before, &event);
        event
    }

    fn act(&mut self, action: &str, amount: Option<i64>) -> Event {
        let args = amount.map(|amount| (Name::from("amount"), Value::Int(amount)));
        let act = Act::Do {
            action: action.into(),
            args: args.into_iter().collect(),
        };
        self.send(Actor::Player(self.who), act)
    }
}

/// An event that is judged again on its own tape comes to the same.
fn again(mut before: Judge, event: &Event) {
    let inputs = Inputs {
        secret: [9; 32],
        tape: Some(&event.tape),
        ..Inputs::default()
    };
    let judged = before.judge(&event.command(), &inputs).event();
    assert_eq!(judged.as_ref(), Ok(event));
}

fn given(event: &Event) -> Vec<Value> {
    match &event.act {
        Act::Do { args, .. } => args.iter().map(|(_, value)| value.clone()).collect(),
        Act::Answer { value, .. } | Act::Decide { value, .. } => vec![value.clone()],
        _ => Vec::new(),
    }
}

fn is_hidden(value: &Value) -> bool {
    matches!(value, Value::Hidden(_))
}

#[test]
fn a_number_given_for_a_hidden_value_is_hidden_and_one_for_an_open_value_is_not() {
    let mut game = Game::found();
    let event = game.act("hide", Some(7));
    assert!(given(&event).iter().all(is_hidden), "{event:?}");
    assert_eq!(given(&event)[0].open(), &Value::Int(7));
    let open = quorate_kernel::record::encode(&event).open;
    let mut other = Game::found();
    let event = other.act("hide", Some(8));
    let length = quorate_kernel::record::encode(&event).open.len();
    assert_eq!(open.len(), length);
    let event = game.act("show", Some(7));
    assert_eq!(given(&event), [Value::Int(7)]);
}

#[test]
fn what_an_open_action_was_given_and_its_answers_are_hidden_where_the_law_keeps_secrets() {
    let mut game = Game::found();
    let event = game.act("wonder", Some(7));
    assert!(matches!(event.outcome, Outcome::Opened(_)));
    let opened = event.steps.iter().find_map(|step| match &step.effect {
        Effect::Open { new, .. } => new.clone(),
        _ => None,
    });
    let opened = opened.unwrap();
    assert!(opened.args.iter().all(|(_, value)| is_hidden(value)));
    assert!(opened.question.options.iter().all(is_hidden));
    assert_eq!(given(&event), [opened.args[0].1.clone()]);
    // Picked as it lies there, so that nobody can tell by its seal which one it was.
    let pick = opened.question.options[1].clone();
    let act = Act::Answer {
        action: "wonder".into(),
        value: pick.clone(),
    };
    let event = game.send(Actor::Player(game.who), act);
    assert_eq!(event.outcome, Outcome::Done);
    assert!(given(&event).iter().all(is_hidden));
    assert_ne!(given(&event)[0], pick);
    assert!(
        event
            .tape
            .answers
            .iter()
            .all(|chosen| is_hidden(&chosen.value))
    );
    let cells = game.judge.state().cells.iter();
    let held: Vec<_> = cells
        .filter(|(key, _)| key.name == "hidden")
        .map(|(_, cell)| cell.value.open().clone())
        .collect();
    assert_eq!(held, [Value::Int(9)]);
}

#[test]
fn a_hidden_question_and_its_answer_are_hidden() {
    let mut game = Game::found();
    let event = game.act("whisper", None);
    let asked = event.steps.iter().find_map(|step| match &step.effect {
        Effect::Duty { key, new, .. } => new.clone().map(|duty| (*key, duty)),
        _ => None,
    });
    let (key, duty) = asked.unwrap();
    assert!(duty.options.iter().all(is_hidden));
    assert!(is_hidden(&duty.default));
    assert!(duty.context.iter().all(|(_, value)| is_hidden(value)));
    let act = Act::Decide {
        duty: quorate_kernel::ids::DutyId(key),
        value: Value::Word("seven".into()),
    };
    let event = game.send(Actor::Player(game.who), act);
    assert!(given(&event).iter().all(is_hidden));
    let cells = game.judge.state().cells.iter();
    let held: Vec<_> = cells
        .filter(|(key, _)| key.name == "open_one")
        .map(|(_, cell)| cell.value.clone())
        .collect();
    assert_eq!(held, [Value::Int(11)]);
}

#[test]
fn texts_and_words_are_given_as_before() {
    let mut game = Game::found();
    let who = game.who;
    let act = Act::Message {
        to: vec![who],
        text: typed("Nobody hears this"),
    };
    let event = game.send(Actor::Player(who), act);
    assert!(given(&event).is_empty());
}
