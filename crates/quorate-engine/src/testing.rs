//! The rule-test language: games founded, played and looked at by test files beside the rules.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::command::Founding;
use quorate_kernel::event::Event;
use quorate_kernel::patch::Clause;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, Moment, Name, Refusal, Thing};
use quorate_law::Limits;
use quorate_law::datum::{Datum, Record};
use quorate_law::objects::{Host, Member};
use quorate_law::stop::Stop;
pub use quorate_law::test_script::TestHelpers;
use quorate_law::test_script::TestScript;
use quorate_law::with_article;
use quorate_law::world::Named;

use crate::convert;
use crate::judge::{Dictated, Head, Judge};
use crate::law::{Law, LawCache};
use crate::query::PageAccount;
use crate::rulebook::Rulebook;

mod changes;
mod commands;
mod events;
mod founding;
mod looking;
mod names;
mod play;
mod record;
mod recording;
mod same;
mod sight;
mod under;
mod vocabulary;

pub use record::Recorded;
pub use recording::Recording;
pub use under::founding_of;
pub use vocabulary::{FUNCTIONS, METHODS};

/// The names of players in the order in which they join.
pub const NAMES: [&str; 12] = [
    "Anna", "Bert", "Cleo", "Dora", "Egon", "Fred", "Gwen", "Hugo", "Iris", "Jack", "Kate", "Liam",
];

/// Finds rulebooks by name.
pub type Books<'a> = dyn Fn(&str) -> Option<Rc<Rulebook>> + 'a;

/// How one test ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TestOutcome {
    /// The test function.
    pub name: String,
    /// The text at the top of the test.
    pub doc: String,
    /// What it printed, a line each.
    pub printed: Vec<String>,
    /// What went wrong, if anything did.
    pub failed: Option<Failure>,
}

/// What went wrong in a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The line of the test file.
    pub line: u32,
    /// What was expected and what there was.
    pub message: String,
    /// The log of the games so far, one line an event.
    pub log: Vec<String>,
}

/// A test file that checks.
pub struct TestFile {
    tests: TestScript,
}

impl TestFile {
    /// Checks a test file, with what it loads from helpers; what went wrong stands in the failure.
    pub fn compile(file: &str, code: &str, helpers: &TestHelpers<'_>) -> Result<Self, Failure> {
        Self::compile_within(file, code, helpers, Limits::WHOLE)
    }

    /// The same of a file that each of its tests may use so much.
    pub fn compile_within(
        file: &str,
        code: &str,
        helpers: &TestHelpers<'_>,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let tests = TestScript::compile(file, code, &FUNCTIONS, helpers, limits);
        let tests = tests.map_err(|diagnostics| {
            // The failure has the line of the first, and its file where that is a helper.
            let own = Name::from(file);
            let message = diagnostics.iter().enumerate().map(|(nth, found)| {
                let (line, text) = (found.line, &found.text);
                match (nth, found.rule == own) {
                    (0, true) => text.clone(),
                    (_, true) => format!("line {line}: {text}"),
                    (_, false) => format!("{}, line {line}: {text}", found.rule),
                }
            });
            let message: Vec<_> = message.collect();
            Failure {
                line: diagnostics.first().map_or(0, |d| d.line),
                message: message.join("\n"),
                log: vec![],
            }
        })?;
        Ok(Self { tests })
    }

    /// Its tests in its order: name, the text at the top, and line.
    pub fn tests(&self) -> impl Iterator<Item = (&str, &str, u32)> {
        let tests = self.tests.functions().iter();
        tests
            .filter(|test| test.name.starts_with("test_"))
            .map(|test| (test.name.as_str(), test.doc.as_str(), test.line))
    }
}

/// Runs test files.
pub struct Runner<'a> {
    books: &'a Books<'a>,
    laws: Arc<LawCache>,
    begun: Begun,
    /// What every game begins with, where that is not up to the rulebooks.
    law: Option<Rc<Founding>>,
    is_over: Option<Over>,
    account: Option<Arc<PageAccount>>,
    again: Option<LogCheck>,
}

/// Says when a test is to stop.
type Over = Rc<dyn Fn() -> bool>;

/// Looks at the log of a game that a test played, whose dice follow from this secret.
type LogCheck = Rc<dyn Fn(&[Event], &[u8; 32]) -> Result<(), String>>;

/// Games as they were right after all players had joined, for tests that begin alike.
type Begun = Rc<RefCell<BTreeMap<(String, i64, i64), (State, Head, Vec<Event>)>>>;

impl<'a> Runner<'a> {
    /// A runner over rulebooks.
    pub fn new(books: &'a Books<'a>) -> Self {
        Self::with_laws(books, Arc::new(LawCache::default()))
    }

    /// A runner that shares compiled laws with others.
    pub fn with_laws(books: &'a Books<'a>, laws: Arc<LawCache>) -> Self {
        Self {
            books,
            laws,
            begun: Begun::default(),
            law: None,
            is_over: None,
            account: None,
            again: None,
        }
    }

    /// Runs the tests of a file whose names hold a word. A file that does not check is one failed test.
    pub fn run(
        &self,
        file: &str,
        code: &str,
        helpers: &TestHelpers<'_>,
        only: Option<&str>,
    ) -> Vec<TestOutcome> {
        let tests = match TestFile::compile(file, code, helpers) {
            Ok(tests) => tests,
            Err(failure) => {
                return vec![TestOutcome {
                    name: file.to_owned(),
                    doc: String::new(),
                    printed: vec![],
                    failed: Some(failure),
                }];
            }
        };
        let wanted =
            |name: &str| only.is_none_or(|only| name.contains(only) || file.contains(only));
        tests
            .tests()
            .filter(|(name, ..)| wanted(name))
            .map(|(name, doc, _)| self.run_one(&tests, name, doc))
            .collect()
    }

    /// Runs one test of a file.
    pub fn run_one(&self, file: &TestFile, name: &str, doc: &str) -> TestOutcome {
        let stage = Rc::new(Stage {
            // The books outlive the runner, and the stage does not outlive this call.
            books: self.known_books(),
            laws: Arc::clone(&self.laws),
            begun: Rc::clone(&self.begun),
            law: self.law.clone(),
            is_over: self.is_over.clone(),
            account: self.account.clone(),
            again: self.again.clone(),
            recording: Recording::PLAIN,
            is_cut: Cell::new(false),
            printed: RefCell::default(),
            games: RefCell::new(Vec::new()),
            objects: RefCell::new(Vec::new()),
        });
        let host: Rc<dyn Host> = Rc::clone(&stage) as Rc<dyn Host>;
        let mut failed = match file.tests.run(name, &host) {
            Ok(()) => None,
            Err(failure) => Some(Failure {
                line: failure.line,
                message: failure.text,
                log: stage.log(),
            }),
        };
        if failed.is_none() {
            failed = stage.replay().err().map(|message| Failure {
                line: 0,
                message,
                log: stage.log(),
            });
        }
        TestOutcome {
            name: name.to_owned(),
            doc: doc.to_owned(),
            printed: stage.printed.take(),
            failed,
        }
    }

    fn known_books(&self) -> BTreeMap<String, Rc<Rulebook>> {
        BOOK_NAMES.with(|names| {
            names
                .borrow()
                .iter()
                .filter_map(|name| Some((name.clone(), (self.books)(name)?)))
                .collect()
        })
    }
}

thread_local! {
    static BOOK_NAMES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// What stands behind one test.
struct Stage {
    books: BTreeMap<String, Rc<Rulebook>>,
    laws: Arc<LawCache>,
    begun: Begun,
    law: Option<Rc<Founding>>,
    is_over: Option<Over>,
    /// What pays for all that the games run.
    account: Option<Arc<PageAccount>>,
    /// Who looks at each game's log at the end.
    again: Option<LogCheck>,
    recording: Recording,
    /// Whether the play has come to the present.
    is_cut: Cell<bool>,
    /// What the test printed.
    printed: RefCell<Vec<String>>,
    games: RefCell<Vec<StagedGame>>,
    objects: RefCell<Vec<Object>>,
}

/// A game on the stage.
struct StagedGame {
    judge: Judge,
    now: Moment,
    dictated: Dictated,
    /// What was dictated last that cannot be.
    misfit: Option<String>,
    /// The laws that it has had, one after the other.
    laws: Vec<Arc<Law>>,
    events: Vec<Event>,
    keys: u64,
    /// What its dice follow from where none are dictated.
    secret: [u8; 32],
    is_over: Option<Over>,
}

impl StagedGame {
    /// A game on the stage, not founded yet or as it was right after its beginning.
    fn new(judge: Judge, now: Moment, stage: &Stage) -> Self {
        let judge = match &stage.account {
            Some(account) => judge.paid_from(account),
            None => judge,
        };
        let mut game = Self {
            judge,
            now,
            dictated: Dictated::default(),
            misfit: None,
            laws: vec![],
            events: vec![],
            keys: 0,
            secret: stage.recording.secret,
            is_over: stage.is_over.clone(),
        };
        game.note_law();
        game
    }

    /// What was dictated must have been rolled and chosen.
    fn dictated_well(&self) -> Result<(), String> {
        let Dictated { dice, choices } = &self.dictated;
        let dice = dice.iter().map(|die| format!("the die {die}"));
        let choices = choices.iter().map(crate::convert::describe);
        let left: Vec<_> = dice
            .chain(choices.map(|one| format!("the choice {one}")))
            .collect();
        if left.is_empty() {
            return Ok(());
        }
        Err(format!(
            "dictated, and asked for by nothing: {}",
            left.join(", ")
        ))
    }
}

/// What a test can hold.
#[derive(Clone, Debug, PartialEq)]
enum Object {
    Game(usize),
    Thing(usize, Thing),
    Refusal(Box<Refusal>),
    Event(usize, EventSeq),
    Record(usize, Arc<Record>),
    Ledger(usize, Thing, Name),
    Change(Box<TestChange>),
}

/// A test file that loads nothing.
pub fn no_helpers(_: &str) -> Option<String> {
    None
}

/// A change that a post is to carry; what leans on the rules as they are is worked out when it is posted.
#[derive(Clone, Debug, PartialEq)]
enum TestChange {
    Clause(Clause),
    Amend { id: Name, old: String, new: String },
    Replace { id: Name, text: String },
    When { test: String, changes: Datum },
}

/// What a test says that was stopped.
pub const OVER: &str = "it was stopped: the time for the tests is over";

/// The end of a test.
fn fail(text: impl Into<String>) -> Stop {
    Stop::fault(text)
}

impl Host for Stage {
    fn call(
        &self,
        object: Option<u64>,
        name: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop> {
        if self.is_over.as_ref().is_some_and(|is_over| is_over()) {
            return Err(fail(OVER));
        }
        let Some(object) = object else {
            return self.function(name, args, named);
        };
        self.fitting(match self.object(object)? {
            Object::Game(game) => self.method(game, name, args, named),
            Object::Ledger(game, thing, ledger) => {
                self.ledger(game, &thing, &ledger, name, &args, &named)
            }
            Object::Thing(..)
            | Object::Refusal(_)
            | Object::Event(..)
            | Object::Record(..)
            | Object::Change(_) => Err(fail(format!("this has no method {name}"))),
        })
    }

    fn get(&self, object: u64, attribute: &str) -> Result<Member, Stop> {
        match self.object(object)? {
            Object::Game(game) => self.game_attribute(game, attribute),
            Object::Thing(game, thing) => self
                .thing_attribute(game, &thing, attribute)
                .map(Member::Value),
            Object::Refusal(refusal) => refusal_attribute(&refusal, attribute).map(Member::Value),
            Object::Event(game, seq) => self
                .event_attribute(game, seq, attribute)
                .map(Member::Value),
            Object::Record(game, record) => {
                let datum = record.get(attribute).ok_or_else(|| {
                    fail(format!("{} has no {attribute}", with_article(record.kind)))
                })?;
                Ok(Member::Value(self.wrap(game, datum)))
            }
            Object::Ledger(..) => Ok(Member::Method),
            Object::Change(_) => Err(fail("a change has no attributes")),
        }
    }

    fn show(&self, object: u64) -> String {
        self.object(object)
            .map_or_else(|_| "?".to_owned(), |object| self.describe(&object))
    }
}

impl Stage {
    /// What came of a call, unless something was dictated meanwhile that cannot be.
    fn fitting(&self, came: Result<Datum, Stop>) -> Result<Datum, Stop> {
        let mut games = self.games.borrow_mut();
        let misfit = games.iter_mut().find_map(|game| game.misfit.take());
        misfit.map_or(came, |misfit| Err(fail(misfit)))
    }

    fn object(&self, number: u64) -> Result<Object, Stop> {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        self.objects
            .borrow()
            .get(index)
            .cloned()
            .ok_or_else(|| fail("there is no such object"))
    }

    /// The number of an object; equal objects have equal numbers.
    fn number(&self, object: Object) -> Datum {
        let mut objects = self.objects.borrow_mut();
        let index = objects
            .iter()
            .position(|known| *known == object)
            .unwrap_or_else(|| {
                objects.push(object);
                objects.len() - 1
            });
        Datum::Object(index as u64)
    }

    /// A value of a game as tests hold it: things as objects that read the live state.
    fn wrap(&self, game: usize, datum: &Datum) -> Datum {
        match datum {
            Datum::Thing(thing) => self.number(Object::Thing(game, thing.clone())),
            Datum::Record(record) => self.number(Object::Record(game, Arc::clone(record))),
            Datum::Ledger(thing, name) => {
                self.number(Object::Ledger(game, thing.clone(), name.clone()))
            }
            Datum::List(items) => {
                Datum::List(items.iter().map(|item| self.wrap(game, item)).collect())
            }
            Datum::Dict(items) => Datum::Dict(
                items
                    .iter()
                    .map(|(k, v)| (self.wrap(game, k), self.wrap(game, v)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// A value that a test holds, as the game's own.
    fn unwrap(&self, datum: &Datum) -> Datum {
        match datum {
            Datum::Object(number) => match self.object(*number) {
                Ok(Object::Thing(_, thing)) => Datum::Thing(thing),
                Ok(Object::Record(_, record)) => Datum::Record(record),
                Ok(Object::Game(_)) => Datum::Thing(Thing::Game),
                _ => datum.clone(),
            },
            Datum::List(items) => Datum::List(items.iter().map(|item| self.unwrap(item)).collect()),
            other => other.clone(),
        }
    }

    fn thing_of(&self, datum: &Datum) -> Result<Thing, Stop> {
        match self.unwrap(datum) {
            Datum::Thing(thing) => Ok(thing),
            Datum::Text(text) => text
                .parse()
                .map_err(|_| fail(format!("\"{text}\" is no thing of the game"))),
            other => Err(fail(format!(
                "{} is no thing of the game",
                crate::convert::describe(&other)
            ))),
        }
    }

    fn with<T>(&self, game: usize, look: impl FnOnce(&mut StagedGame) -> T) -> T {
        look(&mut self.games.borrow_mut()[game])
    }

    fn log(&self) -> Vec<String> {
        let games = self.games.borrow();
        games
            .iter()
            .flat_map(|game| {
                game.events
                    .iter()
                    .map(|event| crate::transcript::event_line(game.judge.state(), event))
            })
            .collect()
    }

    fn describe(&self, object: &Object) -> String {
        match object {
            Object::Game(_) => "the game".to_owned(),
            Object::Thing(game, thing) => self.with(*game, |game| {
                game.judge
                    .query(game.now, |tx| tx.label(&Datum::Thing(thing.clone())))
            }),
            Object::Refusal(refusal) => refusal.to_string(),
            Object::Event(_, seq) => format!("event {seq}"),
            Object::Record(_, record) => format!("{} {:?}", record.kind, record.fields),
            Object::Ledger(_, _, name) => format!("ledger {name}"),
            Object::Change(change) => words(change, &|thing| {
                let number = self.games.borrow().len().checked_sub(1);
                let named = number.map(|game| self.describe(&Object::Thing(game, thing.clone())));
                named.unwrap_or_else(|| thing.to_string())
            }),
        }
    }
}

/// A change as a test writes it, with how things are called.
fn words(change: &TestChange, called: &dyn Fn(&Thing) -> String) -> String {
    match change {
        TestChange::Amend { id, .. } => format!("amend_rule({id})"),
        TestChange::Replace { id, .. } => format!("replace_rule({id})"),
        TestChange::When { test, .. } => format!("when({test})"),
        TestChange::Clause(clause) => {
            let about = match clause {
                Clause::SetValue { thing, name, value } => {
                    let value = convert::describe(&convert::datum(value));
                    format!("{}, {name} = {value}", called(thing))
                }
                Clause::AddToValue {
                    thing,
                    name,
                    amount,
                } => format!("{}, {name} = {amount}", called(thing)),
                Clause::CreateThing { kind, .. } => kind.to_string(),
                Clause::RemoveThing { thing } | Clause::RenamePlayer { thing, .. } => called(thing),
                other => other.rule().map(Name::to_string).unwrap_or_default(),
            };
            format!("{}({about})", clause.kind().replace([' ', '-'], "_"))
        }
    }
}

fn refusal_attribute(refusal: &Refusal, attribute: &str) -> Result<Datum, Stop> {
    let need = refusal.needs.first().cloned().unwrap_or_default();
    Ok(match attribute {
        "rule" => Datum::Text(refusal.rule.as_str().into()),
        "rule_id" => Datum::Text(refusal.rule_id.as_str().into()),
        "clause" => Datum::Int(i64::from(refusal.clause)),
        "against" => refusal
            .against
            .as_ref()
            .map_or(Datum::None, |rule| Datum::Text(rule.as_str().into())),
        "what" => Datum::Text(need.what.into()),
        "have" => Datum::Text(need.have.into()),
        "need" => Datum::Text(need.need.into()),
        "next_at" => refusal.next_at.map_or(Datum::None, Datum::Moment),
        "text" => Datum::Text(refusal.to_string().into()),
        _ => {
            return Err(fail(format!(
                "a refusal has no {attribute}: it has rule, clause, what, have, need, next_at, text"
            )));
        }
    })
}

/// The rulebooks that tests of a run may found games of.
pub fn with_books<T>(names: Vec<String>, run: impl FnOnce() -> T) -> T {
    BOOK_NAMES.with(|known| *known.borrow_mut() = names);
    run()
}
