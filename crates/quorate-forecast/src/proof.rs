//! Tests of rules under the law that a patch would make: the post's own, those that rules carry in their text, and those
//! of the rulebook that the game was founded of which name a touched rule.
//!
//! They play games of their own, of which nothing is anybody's secret.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_engine::query::PageAccount;
use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{
    Runner, TestFile, TestHelpers, TestOutcome, founding_of, no_helpers,
};
use quorate_kernel::command::Founding;
use quorate_kernel::digest::Digest;
use quorate_kernel::state::State;
use quorate_kernel::{Name, Refusal};
use quorate_law::{Limits, RuleText};
use serde::Serialize;

use crate::enactment::Proposed;
use crate::fork::Fork;
use crate::trial::PatchTrial;

/// How tests went.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Proof {
    /// How many passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: Vec<FailedTest>,
    /// How many were left out, for their time was over.
    pub left_out: usize,
}

/// A test that failed.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FailedTest {
    /// Where it stands: `zombies.star`, or of which text it is a part.
    pub file: String,
    /// Its name; empty where the whole file does not check.
    pub test: String,
    /// The line of its file.
    pub line: u32,
    /// What was expected, and what there was.
    pub message: String,
    /// Whether it fails under the law of today as well.
    pub fails_today: bool,
}

/// The tests of a patch, before they run.
pub struct PatchTests {
    files: Vec<TestsOfFile>,
    before: Founding,
    after: Founding,
    digest: Digest,
    /// What pays for them.
    account: Arc<PageAccount>,
}

/// A file of tests with those of them that are to be run.
struct TestsOfFile {
    name: String,
    /// How many lines stand above it in the text that it is a part of.
    above: u32,
    tests: Result<TestFile, String>,
    wanted: Vec<String>,
    /// Whether the law of today is to be asked as well where one fails.
    is_of_today: bool,
}

impl PatchTests {
    /// Finds the tests of a patch. `text` is that of the post that is to carry it, which may hold tests of its own, and `own`
    /// what they are called; `book` is the rulebook of which the game was founded. Refused where the patch cannot be tried.
    pub fn of(
        fork: &Fork<'_>,
        proposed: &Proposed,
        (own, text): (&str, &str),
        book: Option<&Rulebook>,
    ) -> Result<Self, Refusal> {
        let trial = fork.try_out(proposed)?;
        let (old, new) = (fork.judge.state(), trial.judge.state());
        let account = fork.judge.account();
        let founding = |state: &State| {
            founding_of(state).ok_or_else(|| Refusal::plain("a game that has been founded"))
        };
        let mut files = fenced(own, text, false);
        let touched = trial.touched_rules();
        for rule in touched.iter().filter_map(|id| new.rules.get(id)) {
            files.extend(fenced(&fork.themed(&rule.title), &rule.text, true));
        }
        if let Some(book) = book {
            files.extend(of_book(fork, book, &trial, &touched));
        }
        Ok(Self {
            files,
            before: founding(old)?,
            after: founding(new)?,
            account: account.cloned().unwrap_or_else(PageAccount::of_preview),
            digest: Digest::of_parts([
                &texts_digest(old).0[..],
                &texts_digest(new).0[..],
                text.as_bytes(),
            ]),
        })
    }

    /// A digest of all on which it rests how they go.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Runs them. What comes after `is_over` says so is left out, and what comes after the budget is used up that they share
    /// with all else that was tried on the copy of the game.
    pub fn run(self, is_over: impl Fn() -> bool + Clone + 'static) -> Proof {
        let nowhere = |_: &str| None;
        let account = self.account;
        let paid = Arc::clone(&account);
        let is_over = move || is_over() || paid.is_used_up();
        let runner = |law| {
            let runner = Runner::new(&nowhere).under(law).paid_from(&account);
            runner.until(is_over.clone())
        };
        let (new, old) = (runner(self.after), runner(self.before));
        let mut proof = Proof::default();
        for file in self.files {
            let tests = match &file.tests {
                Ok(tests) => tests,
                Err(message) => {
                    proof.failed.push(FailedTest {
                        file: file.name,
                        test: String::new(),
                        line: file.above,
                        message: message.clone(),
                        fails_today: file.is_of_today,
                    });
                    continue;
                }
            };
            for name in &file.wanted {
                if is_over() {
                    proof.left_out += 1;
                    continue;
                }
                match new.run_one(tests, name, "").failed {
                    None => proof.passed += 1,
                    // What was stopped has not failed.
                    Some(_) if is_over() => proof.left_out += 1,
                    Some(failure) => {
                        let fails = |outcome: TestOutcome| outcome.failed.is_some();
                        proof.failed.push(FailedTest {
                            file: file.name.clone(),
                            test: name.clone(),
                            line: failure.line + file.above,
                            message: failure.message,
                            fails_today: file.is_of_today && fails(old.run_one(tests, name, "")),
                        });
                    }
                }
            }
        }
        proof
    }
}

/// The tests of a rulebook that name what a patch touches; of the files that are called like a touched rule, all.
fn of_book(
    fork: &Fork<'_>,
    book: &Rulebook,
    trial: &PatchTrial,
    touched: &BTreeSet<Name>,
) -> Vec<TestsOfFile> {
    let mut words = BTreeSet::new();
    for id in touched {
        words.insert(id.to_string());
        for judge in [&fork.judge, &trial.judge] {
            if let Some(rule) = judge.state().rules.get(id) {
                words.extend([rule.title.clone(), fork.themed(&rule.title)]);
            }
            let own = judge
                .law()
                .actions
                .iter()
                .filter(|(_, decl)| decl.site.rule == *id);
            words.extend(own.map(|(name, _)| name.to_string()));
        }
    }
    words.remove("");
    let stems: BTreeSet<String> = touched.iter().map(|id| plain(id.as_str())).collect();
    let is_home = |name: &str| stems.contains(&plain(name.trim_end_matches(".star")));
    let (homes, others): (Vec<_>, Vec<_>) = book.tests.iter().partition(|(name, _)| is_home(name));
    let mut files = Vec::new();
    for (name, code) in homes.into_iter().chain(others) {
        let quotes = || words.iter().any(|word| code.contains(word.as_str()));
        if !is_home(name) && !quotes() {
            continue;
        }
        let mut file = compiled(name.clone(), code, &|file| book.test_helper(file), 0, true);
        if let (Ok(tests), false) = (&file.tests, is_home(name)) {
            let named = tests.naming(code, &words);
            file.wanted.retain(|test| named.contains(test));
        }
        files.push(file);
    }
    files
}

/// The tests in the fences of a text.
fn fenced(name: &str, text: &str, is_of_today: bool) -> Vec<TestsOfFile> {
    let fences = RuleText::parse(text).tests;
    let files = fences.iter().map(|fence| {
        compiled(
            name.to_owned(),
            &fence.code,
            &no_helpers,
            fence.line - 1,
            is_of_today,
        )
    });
    files.collect()
}

fn compiled(
    name: String,
    code: &str,
    helpers: &TestHelpers<'_>,
    above: u32,
    is_of_today: bool,
) -> TestsOfFile {
    let tests = TestFile::compile_within(&name, code, helpers, Limits::GUEST);
    let names = |file: &TestFile| file.tests().map(|(name, ..)| name.to_owned()).collect();
    TestsOfFile {
        name,
        above,
        wanted: tests.as_ref().map_or_else(|_| Vec::new(), names),
        tests: tests.map_err(|failure| failure.message),
        is_of_today,
    }
}

/// A word without what tells file names from code names.
fn plain(word: &str) -> String {
    word.replace('_', "-")
}

/// The digest of all that a new game under this law would begin with.
fn texts_digest(state: &State) -> Digest {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for (id, rule) in state.rules_in_order() {
        parts.push(id.as_str().as_bytes().to_vec());
        parts.push(rule.digest().0.to_vec());
    }
    for (name, term) in &state.terms {
        parts.push(format!("{name} {} {}", term.one, term.many).into_bytes());
    }
    Digest::of_parts(parts.iter().map(Vec::as_slice))
}
