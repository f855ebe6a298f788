//! A worker that judges, spoken to as its server does.

use std::os::unix::net::UnixStream;

use quorate_engine::rulebook::{Manifest, Rulebook};
use quorate_engine::{Inputs, Judge};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::rows::ClauseKey;
use quorate_kernel::{EventSeq, Id, Name, PlayerId};

use super::*;

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

const HOUSE: &str = r#"---
section: rules
---
# House

1. Players fish.

```starlark
fish = number("Fish", of = player)

def take(actor: Player):
    actor.fish += 1

action("take", take)
```

2. Not too much.

```starlark
def full(attempt: Attempt) -> bool:
    return attempt.actor.fish > 2

forbid(scope(actions = ["take"]), full, "room for fish")
```
"#;

fn command(nth: u64, actor: Actor, act: Act) -> Command {
    Command {
        at: Moment(1_935_000_000_000),
        actor,
        key: Name::from(format!("k{nth}")),
        act,
    }
}

fn founded() -> Judge {
    let book = Rulebook {
        name: "t".into(),
        manifest: toml::from_str::<Manifest>(MANIFEST).unwrap(),
        library: Vec::new(),
        rules: vec![("1-rules/01-house.md".to_owned(), HOUSE.to_owned())],
        tests: Vec::new(),
    };
    let mut judge = Judge::unfounded(&Arc::default());
    let founding = book.founding("A game", "Anna").unwrap();
    let found = command(0, Actor::Operator, Act::Found(Box::new(founding)));
    judge.judge(&found, &Inputs::default()).event().unwrap();
    assert!(judge.law().asleep.is_empty(), "{:?}", judge.law().asleep);
    judge
}

/// Anna takes a fish.
fn take(nth: u64) -> Command {
    let anna = PlayerId(Id::new(EventSeq(1), 0));
    let act = Act::Do {
        action: "take".into(),
        args: Vec::new(),
    };
    command(nth, Actor::Player(anna), act)
}

/// All that a worker says of some commands.
fn said(line: &UnixStream, commands: &[Command], tells_after: Duration) -> Vec<JudgeSays> {
    let order = JudgeOrder::Judge {
        commands: commands.iter().map(WireRecord::of_command).collect(),
        secret: [0; 32],
        tells_after,
    };
    frame::write(line, &frame::bytes(&order).unwrap()).unwrap();
    let mut all = Vec::new();
    loop {
        let says = frame::message(&frame::read(line).unwrap()).unwrap();
        let is_last = matches!(says, JudgeSays::Judged(_, true));
        all.push(says);
        if is_last {
            return all;
        }
    }
}

#[test]
fn a_worker_says_whose_code_it_runs_when_it_is_asked_to_and_only_then() {
    let game = founded();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let worker = std::thread::spawn(move || serve(&theirs));
    let open = JudgeOrder::Open(WireRecord::of_state(game.state()), sent_head(game.head()));
    frame::write(&ours, &frame::bytes(&open).unwrap()).unwrap();
    assert!(frame::message::<bool>(&frame::read(&ours).unwrap()).unwrap());

    let row = said(&ours, &[take(1), take(2)], Duration::MAX);
    let judged = |says: &JudgeSays| matches!(says, JudgeSays::Judged(WireJudged::Event(_), _));
    assert!(row.len() == 2 && row.iter().all(judged), "one answer each");

    // Whoever is lost right after it has said something was at that.
    let mut told = Vec::new();
    let mut at_work = Vec::new();
    let culprit = |told: &[RunTold]| {
        let mut runs = OpenRuns::default();
        told.iter().cloned().for_each(|said| runs.hear(said));
        runs.culprit(game.state(), None, true)
    };
    for says in said(&ours, &[take(3), take(4)], Duration::ZERO) {
        if let JudgeSays::Runs(said) = says {
            told.push(said);
            at_work.extend(culprit(&told));
        }
    }
    let clause = |fence| ClauseKey {
        rule: "house".into(),
        fence,
    };
    assert!(at_work.contains(&clause(1)), "the action: {at_work:?}");
    assert!(at_work.contains(&clause(2)), "the guard: {at_work:?}");
    assert_eq!(culprit(&told), None, "all of it has ended");

    drop(ours);
    assert!(worker.join().unwrap().is_err(), "its server is gone");
}

#[test]
fn after_a_slow_row_a_game_is_quick_again_after_sixteen_quick_ones() {
    let mut left = still_to_prove(1, true);
    assert_eq!(left, 0, "a new game after its first quick row");
    left = still_to_prove(left, false);
    for nth in 1..=16 {
        assert!(left > 0, "after {nth} quick rows");
        left = still_to_prove(left, true);
    }
    assert_eq!(left, 0);
}
