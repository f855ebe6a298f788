//! The table of hostile programs: what each is, and the places in which it is tried.
//!
//! The programs stand in `programs.star`. Each is run in every place where rule code runs; its answer must hold the words that
//! its head promises, and another action of the same game must go on.

use std::sync::Arc;

use quorate_engine::testing::{Runner, TestFile};
use quorate_engine::{Inputs, Judge, LawCache};
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::{Event, NoteKind, Outcome};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Moment, Name, PlayerId, Refusal, Thing};
use quorate_law::budget::Limits;

use crate::list::{Program, book};

/// A game of one rule and one player.
pub(crate) struct Game {
    judge: Judge,
    /// The player.
    pub(crate) who: PlayerId,
    keys: u64,
}

impl Game {
    fn found(program: &Program) -> Self {
        Self::of_code(&program.indented())
    }

    /// A game whose rule has a function with this body, in every place.
    pub(crate) fn of_code(body: &str) -> Self {
        let laws: Arc<LawCache> = Arc::default();
        let mut game = Self {
            judge: Judge::unfounded(&laws),
            who: PlayerId(quorate_kernel::Id::new(quorate_kernel::EventSeq(1), 0)),
            keys: 0,
        };
        let founding = book(body, "").founding("A game", "Anna").expect("it reads");
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
        let page = self.judge.query(at, |tx| tx.attribute(&who, "worth"));
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
    let code = program.test();
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
            add("script", game.repair(script(self)));
            add("condition", game.repair(condition()));
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
}

fn script(program: &Program) -> Clause {
    Clause::Script {
        code: program.script().as_str().into(),
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
