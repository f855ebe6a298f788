//! One mutant before the tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use quorate_engine::LawCache;
use quorate_engine::judge::{Inputs, Judge, Judged};
use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{self, Runner, TestFile};
use quorate_kernel::command::{Act, Actor, Command};

use super::mutant::Mutant;
use super::order::TestOrder;

/// How a mutant ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutantVerdict {
    /// A test fails with it.
    Noticed {
        /// The test.
        test: String,
    },
    /// All tests pass with it.
    Survived,
    /// It is no law: some of its code sleeps, or no game of it begins.
    NoLaw,
}

/// What mutants of a rulebook are tried with. Each thread has its own.
pub struct MutantTrial<'a> {
    book: &'a Rulebook,
    /// The name under which the tests found their games.
    names: Vec<String>,
    files: Vec<TestFile>,
    tests: &'a TestOrder,
}

/// What tests there are, and the test files as they check.
pub fn tests_of(book: &Rulebook) -> Result<TestOrder> {
    let files = compiled(book)?;
    let listed: Vec<(&str, Vec<(String, u32)>)> = files
        .iter()
        .zip(&book.tests)
        .map(|(file, (_, code))| {
            let tests = file.tests().map(|(name, _, line)| (name.to_owned(), line));
            (code.as_str(), tests.collect())
        })
        .collect();
    Ok(TestOrder::new(&listed))
}

fn compiled(book: &Rulebook) -> Result<Vec<TestFile>> {
    let files = book.tests.iter().map(|(name, code)| {
        TestFile::compile(name, code, &|file| book.test_helper(file))
            .map_err(|failure| anyhow!("tests/{name}, line {}: {}", failure.line, failure.message))
    });
    files.collect()
}

impl<'a> MutantTrial<'a> {
    /// For the mutants of a rulebook.
    pub fn new(book: &'a Rulebook, tests: &'a TestOrder) -> Result<Self> {
        Ok(Self {
            book,
            names: vec![book.name.to_string()],
            files: compiled(book)?,
            tests,
        })
    }

    /// Whether the rulebook passes its own tests; what fails, if not.
    pub fn unchanged(&self) -> Result<()> {
        let order: Vec<usize> = (0..self.tests.all.len()).collect();
        let laws = Arc::new(LawCache::default());
        if !begins(self.book, &laws) {
            bail!(
                "the rulebook does not check: see quorate check {}",
                self.book.name
            );
        }
        match self.first_red(&Rc::new(self.book.clone()), &laws, &order) {
            Some(red) => bail!(
                "{} fails without any change: see quorate test {}",
                self.tests.all[red].name,
                self.book.name
            ),
            None => Ok(()),
        }
    }

    /// Tries a mutant.
    pub fn of(&self, mutant: &Mutant) -> MutantVerdict {
        let text = &self.book.rules[mutant.file].1;
        let mut book = self.book.clone();
        book.rules[mutant.file].1 = mutant.applied(text);
        let laws = Arc::new(LawCache::default());
        if !begins(&book, &laws) {
            return MutantVerdict::NoLaw;
        }
        let order = self.tests.order(mutant, text);
        match self.first_red(&Rc::new(book), &laws, &order) {
            None => MutantVerdict::Survived,
            Some(red) => {
                self.tests.notice(mutant, red);
                let test = self.tests.all[red].name.clone();
                MutantVerdict::Noticed { test }
            }
        }
    }

    /// The first test that fails.
    fn first_red(
        &self,
        book: &Rc<Rulebook>,
        laws: &Arc<LawCache>,
        order: &[usize],
    ) -> Option<usize> {
        self.asked(book, laws, |fails| {
            order.iter().copied().find(|index| fails(*index))
        })
    }

    /// Runs tests on a mutant, whether or not it is a law.
    pub(super) fn with<T>(
        &self,
        mutant: &Mutant,
        ask: impl FnOnce(&dyn Fn(usize) -> bool) -> T,
    ) -> T {
        let mut book = self.book.clone();
        book.rules[mutant.file].1 = mutant.applied(&self.book.rules[mutant.file].1);
        self.asked(&Rc::new(book), &Arc::default(), ask)
    }

    /// Asks of some tests whether they fail.
    fn asked<T>(
        &self,
        book: &Rc<Rulebook>,
        laws: &Arc<LawCache>,
        ask: impl FnOnce(&dyn Fn(usize) -> bool) -> T,
    ) -> T {
        let find = |_: &str| Some(Rc::clone(book));
        testing::with_books(self.names.clone(), || {
            let runner = Runner::with_laws(&find, Arc::clone(laws));
            ask(&|index| {
                let test = &self.tests.all[index];
                let run = || runner.run_one(&self.files[test.file], &test.name, "");
                // Whatever makes the engine itself give up has been noticed.
                catch_unwind(AssertUnwindSafe(run)).map_or(true, |outcome| outcome.failed.is_some())
            })
        })
    }
}

/// Whether all code of a rulebook checks and a game of it begins.
fn begins(book: &Rulebook, laws: &Arc<LawCache>) -> bool {
    let Ok(founding) = book.founding(&book.manifest.title, testing::NAMES[0]) else {
        return false;
    };
    let Ok(at) = "2031-05-04T09:00Z".parse() else {
        return false;
    };
    let mut judge = Judge::unfounded(laws);
    let command = Command {
        at,
        actor: Actor::Operator,
        key: "mutant".into(),
        act: Act::Found(Box::new(founding)),
    };
    let judged = judge.judge(&command, &Inputs::default());
    matches!(judged, Judged::Event(_)) && judge.law().asleep.is_empty()
}
