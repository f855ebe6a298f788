//! Hostile programs: each is tried in every place where rule code runs, gets its answer in words, and takes nothing else
//! with it. The programs stand in `programs.star`. `cargo bench -p quorate-engine --bench hostile` prints a line for each, and
//! says which answers are not those that its head promises.

use std::sync::Arc;

use quorate_engine::rulebook::{Manifest, Rulebook};
use quorate_engine::testing::Runner;
use quorate_engine::{Inputs, Judge, LawCache};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, NoteKind};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PlayerId, Refusal, Thing};

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

const PROGRAMS: &str = include_str!("programs.star");

/// What every program finds.
const HELPERS: &str = "
def given(x: list) -> int:
    return 1

def typed(x: list[list[int]]) -> int:
    return 1

def called(f: typing.Callable) -> int:
    return 1

def deep() -> list:
    x = []
    for i in range(60000): x = [x]
    return x

def again() -> int:
    return again()

def twice(n: int) -> int:
    return twice(n - 1) + twice(n - 1) if n > 0 else 1
";

/// The places that run the program `bad`.
const PLACES: &str = "
entity(\"Gizmo\")
tally = number(\"Tally\", of = player)
worth = derived(\"Worth\", bad, of = player, tracked = \"tracker\")

def stirs(attempt: Attempt) -> bool:
    return bad(attempt.actor) == 1

def follows(p: Player, old: int, new: int):
    bad(p)

def guarded(actor: Player):
    note(\"guarded\")

def stir(actor: Player):
    actor.tally += 1

def calm(actor: Player):
    note(\"calm\")

action(\"run\", bad)
action(\"guarded\", guarded)
action(\"stir\", stir)
action(\"calm\", calm)
forbid(scope(actions = [\"guarded\"]), stirs, \"nothing bad\")
changed(tally, follows, of = player)
";

struct Program {
    name: String,
    words: String,
    body: String,
}

fn programs() -> Vec<Program> {
    let sections = PROGRAMS.split("\n## ").skip(1);
    let read = |section: &str| {
        let (head, body) = section.split_once('\n').expect("a heading and a body");
        let (name, words) = head.split_once(" | ").expect("a name and its words");
        Program {
            name: name.to_owned(),
            words: words.to_owned(),
            body: body.trim_end().to_owned(),
        }
    };
    sections.map(read).collect()
}

fn indented(body: &str) -> String {
    let indent = |body: String, line: &str| body + "    " + line + "\n";
    body.lines().fold(String::new(), indent)
}

struct Game {
    judge: Judge,
    who: PlayerId,
    keys: u64,
}

impl Game {
    fn found(program: &Program) -> Self {
        let body = indented(&program.body);
        let code = format!("{HELPERS}\ndef bad(p: Player) -> int:\n{body}    return 0\n{PLACES}");
        let rule =
            format!("---\nsection: rules\n---\n# Bad\n\n1. It is bad.\n\n```starlark\n{code}```\n");
        let book = Rulebook {
            name: "t".into(),
            manifest: toml::from_str::<Manifest>(MANIFEST).expect("it reads"),
            library: Vec::new(),
            rules: vec![("1-rules/01-bad.md".to_owned(), rule)],
            tests: Vec::new(),
        };
        let laws: Arc<LawCache> = Arc::default();
        let mut game = Self {
            judge: Judge::unfounded(&laws),
            who: PlayerId(quorate_kernel::Id::new(quorate_kernel::EventSeq(1), 0)),
            keys: 0,
        };
        let founding = book.founding("A game", "Anna").expect("it reads");
        let found = game.send(Actor::Operator, Act::Found(Box::new(founding)));
        found.expect("a game is founded whatever its rules do");
        let mut people = game.judge.state().people.keys();
        game.who = *people.next().expect("the founder");
        game
    }

    /// What the checker says where it stops the program.
    fn checked(&self) -> Option<String> {
        let asleep = &self.judge.law().asleep;
        (!asleep.is_empty()).then(|| format!("{asleep:?}"))
    }

    fn send(&mut self, actor: Actor, act: Act) -> Result<Event, Refusal> {
        self.keys += 1;
        let command = Command {
            at: "2031-05-04T09:00Z".parse::<Moment>().expect("a moment"),
            actor,
            key: Name::from(format!("k{}", self.keys)),
            act,
        };
        let inputs = Inputs {
            secret: [9; 32],
            ..Inputs::default()
        };
        self.judge.judge(&command, &inputs).event()
    }

    fn act(&mut self, action: &str) -> Result<Event, Refusal> {
        let act = Act::Do {
            action: action.into(),
            args: Vec::new(),
        };
        self.send(Actor::Player(self.who), act)
    }

    /// What the operator is told whose patch runs a script or asks a condition.
    fn repair(&mut self, clause: Clause) -> String {
        let patch = Patch {
            clauses: vec![clause],
        };
        let act = Act::Repair {
            patch: Sealed::close(patch, [0; 16]),
            reason: typed("a test"),
        };
        answer(self.send(Actor::Operator, act))
    }
}

/// The words of a refusal, or of what an event left out.
fn answer(judged: Result<Event, Refusal>) -> String {
    match judged {
        Err(refusal) => refusal.to_string(),
        Ok(event) => {
            let notes = event.notes.iter();
            let told = notes.filter(|note| note.kind != NoteKind::Said);
            told.map(|note| note.text.clone())
                .collect::<Vec<_>>()
                .join("; ")
        }
    }
}

fn tested(program: &Program) -> String {
    let body = indented(&program.body);
    let code = format!("{HELPERS}\ndef test_it():\n{body}    pass\n");
    let books = |_: &str| None;
    let outcomes = Runner::new(&books).run("bad.star", &code, &|_| None, None);
    let failed = outcomes.into_iter().filter_map(|outcome| outcome.failed);
    failed.map(|failure| failure.message).collect()
}

/// The ways to run a program, with what each answers.
fn ways(program: &Program) -> Vec<(&'static str, String)> {
    let mut game = Game::found(program);
    let code = format!("p = players()[0]\n{}\n", program.body);
    let script = Clause::Script {
        code: code.as_str().into(),
    };
    let asks = ["p.", "p)", "rolls", "Gizmo", "post(", "note(", "now"];
    let needs_game = asks.iter().any(|ask| program.body.contains(ask));
    let mut answers = Vec::new();
    if let Some(words) = game.checked() {
        answers.push(("check", words));
    } else {
        answers.push(("action", answer(game.act("run"))));
        answers.push(("guard", answer(game.act("guarded"))));
        answers.push(("hook", answer(game.act("stir"))));
        let (at, who) = (game.judge.head().at, Thing::Player(game.who));
        let page = game.judge.look(at, |tx| tx.attribute(&who, "worth"));
        answers.push((
            "page",
            page.err().map_or(String::new(), |stop| format!("{stop:?}")),
        ));
        answers.push(("script", game.repair(script)));
        let calm = game.act("calm").expect("nothing else breaks");
        assert!(
            calm.notes.iter().any(|note| note.text == "calm"),
            "{calm:?}"
        );
    }
    if !needs_game {
        answers.push(("test", tested(program)));
    }
    answers
}

fn main() -> std::process::ExitCode {
    let mut wrong = 0;
    for program in &programs() {
        let is_harmless = program.words == "harmless";
        let answers = ways(program).into_iter();
        let unfit = answers.filter(|(_, words)| {
            if is_harmless {
                !words.is_empty()
            } else {
                !words.contains(&program.words)
            }
        });
        let unfit: Vec<String> = unfit
            .map(|(way, words)| format!("as {way}: {words:.300}"))
            .collect();
        wrong += unfit.len();
        eprintln!("{}: {} {}", program.name, program.words, unfit.join("; "));
    }
    std::process::ExitCode::from(u8::from(wrong > 0))
}
