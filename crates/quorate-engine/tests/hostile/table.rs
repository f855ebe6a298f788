//! The table of hostile programs: what each is, and the places in which it is tried.
//!
//! The programs stand in `programs.star`. Each is run in every place where rule code runs; its answer must hold the words that
//! its head promises, and another action of the same game must go on.

use std::sync::Arc;

use quorate_engine::rulebook::{Manifest, Rulebook};
use quorate_engine::testing::{Runner, TestFile};
use quorate_engine::{Inputs, Judge, LawCache};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, NoteKind, Outcome};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PlayerId, Refusal, Thing};
use quorate_law::budget::Limits;

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

const PROGRAMS: &str = include_str!("programs.star");

/// What every program finds.
const HELPERS: &str = include_str!("helpers.star");

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

action(\"run\", bad)
action(\"guarded\", guarded)
action(\"stir\", stir)
forbid(scope(actions = [\"guarded\"]), stirs, \"nothing bad\")
changed(tally, follows, of = player)
";

/// What goes on whatever happens to the program, in a clause of its own.
const CALM: &str = "
def calm(actor: Player):
    note(\"calm\")

action(\"calm\", calm)
";

/// A hostile program.
#[derive(Clone)]
pub(crate) struct Program {
    /// What it is.
    pub(crate) name: String,
    /// The words that its answer holds, each way of saying it between bars; `harmless` where there is nothing to say, and
    /// `as a test` where there is nothing to say of a test.
    pub(crate) words: Vec<String>,
    body: String,
}

/// All of them.
pub(crate) fn programs() -> Vec<Program> {
    let sections = PROGRAMS.split("\n## ").skip(1);
    let read = |section: &str| {
        let (head, body) = section.split_once('\n').expect("a heading and a body");
        let mut parts = head.split(" | ").map(str::to_owned);
        Program {
            name: parts.next().expect("a name"),
            words: parts.collect(),
            body: body.trim_end().to_owned(),
        }
    };
    sections.map(read).collect()
}

fn indented(body: &str) -> String {
    let indent = |body: String, line: &str| body + "    " + line + "\n";
    body.lines().fold(String::new(), indent)
}

/// A game of one rule and one player.
pub(crate) struct Game {
    judge: Judge,
    /// The player.
    pub(crate) who: PlayerId,
    keys: u64,
}

impl Game {
    fn found(program: &Program) -> Self {
        Self::of_code(&indented(&program.body))
    }

    /// A game whose rule has a function with this body, in every place.
    pub(crate) fn of_code(body: &str) -> Self {
        let code = format!("{HELPERS}\ndef bad(p: Player) -> int:\n{body}    return 0\n{PLACES}");
        let rule = format!(
            "---\nsection: rules\n---\n# Bad\n\n1. It is bad.\n\n```starlark\n{code}```\n\n2. It is calm.\n\n```starlark\n{CALM}```\n"
        );
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

    /// What a command comes to.
    pub(crate) fn send(&mut self, actor: Actor, act: Act) -> Result<Event, Refusal> {
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

    /// What a tracker says whose derived value does it.
    fn worth(&self) -> String {
        let (at, who) = (self.judge.head().at, Thing::Player(self.who));
        let page = self.judge.look(at, |tx| tx.attribute(&who, "worth"));
        page.err().map_or(String::new(), |stop| format!("{stop:?}"))
    }

    /// Another action of the game, which nothing took with it.
    pub(crate) fn goes_on(&mut self) {
        let calm = self.act("calm").expect("nothing else breaks");
        assert!(
            calm.notes.iter().any(|note| note.text == "calm"),
            "{calm:?}"
        );
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
            let mut lines: Vec<String> = told.map(|note| note.text.clone()).collect();
            // Where dice fell, a refusal is an event.
            if let Outcome::Refused(refusal) | Outcome::Lapsed(refusal) = &event.outcome {
                lines.push(refusal.to_string());
            }
            lines.join("; ")
        }
    }
}

fn tested(program: &Program) -> String {
    let body = indented(&program.body);
    let code = format!("{HELPERS}\ndef test_it():\n{body}    pass\n");
    let books = |_: &str| None;
    // As one that comes with a proposal.
    let file = TestFile::compile_within("bad.star", &code, &|_| None, Limits::GUEST);
    let failed = match file {
        Err(failure) => Some(failure),
        Ok(file) => Runner::new(&books).run_one(&file, "test_it", "").failed,
    };
    failed.map_or(String::new(), |failure| failure.message)
}

/// A place in which a program was run.
pub(crate) struct Tried {
    /// Which.
    pub(crate) place: &'static str,
    /// What was answered.
    pub(crate) said: String,
}

impl Program {
    /// Runs it in every place, each watched by `watch`. The first thing that takes the game with it panics.
    pub(crate) fn tried(&self, watch: &mut dyn FnMut(&'static str)) -> Vec<Tried> {
        let mut all = Vec::new();
        let mut add = |place, said| {
            watch(place);
            all.push(Tried { place, said });
        };
        let mut game = Game::found(self);
        if let Some(words) = game.checked() {
            add("check", words);
        } else {
            add("action", answer(game.act("run")));
            add("guard", answer(game.act("guarded")));
            add("hook", answer(game.act("stir")));
            add("page", game.worth());
            add("script", game.repair(self.script()));
            add("condition", game.repair(Self::condition()));
            game.goes_on();
        }
        if !self.needs_game() {
            add("test", tested(self));
        }
        all
    }

    /// Whether what was answered in a place is what its head promises.
    pub(crate) fn fits(&self, tried: &Tried) -> bool {
        if self.words == ["harmless"] {
            return tried.said.is_empty();
        }
        let may_pass = tried.place == "test" && self.words.iter().any(|words| words == "as a test");
        let fits = |words: &String| tried.said.contains(words);
        self.words.iter().any(fits) || (may_pass && tried.said.is_empty())
    }

    fn script(&self) -> Clause {
        let code = format!("p = players()[0]\n{}\n", self.body);
        Clause::Script {
            code: code.as_str().into(),
        }
    }

    fn condition() -> Clause {
        let page = Clause::SetPage {
            name: "notes".into(),
            text: "It was asked.".to_owned(),
        };
        Clause::When {
            test: "bad(players()[0]) == 0".into(),
            clauses: vec![page],
        }
    }

    fn needs_game(&self) -> bool {
        let asks = ["p.", "p)", "rolls", "Gizmo", "post(", "note(", "now"];
        asks.iter().any(|ask| self.body.contains(ask))
    }
}
