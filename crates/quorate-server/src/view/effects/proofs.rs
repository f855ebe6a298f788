//! Tests of rules under the law that a patch would make: the proposal's own, those that rules carry in their text, and those
//! of the rulebook that the game was founded of which name a touched rule.
//!
//! They play games of their own, of which nothing is anybody's secret.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{OVER, Outcome, Runner, TestFile, founding_of};
use quorate_kernel::command::Founding;
use quorate_kernel::digest::Digest;
use quorate_kernel::patch::Patch;
use quorate_kernel::state::{Effect as Change, State};
use quorate_kernel::{Name, Refusal};
use quorate_law::{Limits, RuleText};

use crate::ui::urls::Href;
use crate::ui::{Effect, EffectGroup};
use crate::view::effects::{Trial, group};
use crate::view::game::GameView;

/// How tests went.
#[derive(Debug)]
pub struct Proof {
    /// How many passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: Vec<Failed>,
    /// How many were left out, for their time was over.
    pub left: usize,
}

/// A test that failed.
#[derive(Debug)]
pub struct Failed {
    /// Where it stands: `zombies.star`, or of which text it is a part.
    pub file: String,
    /// Its name; empty where the whole file does not check.
    pub test: String,
    /// The line of its file.
    pub line: u32,
    /// What was expected, and what there was.
    pub message: String,
    /// Whether it fails under the law of today as well.
    pub today: bool,
}

/// A file of tests with those of them that are to be run.
struct File {
    name: String,
    /// How many lines stand above it in the text that it is a part of.
    above: u32,
    tests: Result<TestFile, String>,
    wanted: Vec<String>,
    /// Whether the law of today is to be asked as well where one fails.
    is_of_today: bool,
}

impl GameView {
    /// The tests of a patch and of the text that comes with it, as a group of a report.
    pub fn proven(&self, patch: &Patch, text: &str) -> EffectGroup {
        let lines = match self.proof(patch, text) {
            Err(refusal) => {
                vec![Effect::new("It could not be tried:", refusal.to_string()).alarm()]
            }
            Ok(proof) => told(&proof),
        };
        group("tests", "Tests of the rules", &self.proof_note(), lines)
    }

    /// The same group before they have run.
    pub(crate) fn yet_to_prove(&self, later: Href) -> EffectGroup {
        let mut group = group(
            "tests",
            "Tests of the rules",
            &self.proof_note(),
            Vec::new(),
        );
        group.later = Some(later);
        group
    }

    fn proof_note(&self) -> String {
        let seconds = self.site.parts.house.tests.0.div_euclid(1000);
        format!(
            "Those of the proposal itself, and those that name the rules it touches, on games of their own under the ruleset \
             as it would be. They may take {} in all.",
            crate::ui::plural(usize::try_from(seconds).unwrap_or(0), "second", "seconds")
        )
    }

    /// Runs the tests. What was found once is kept, as nothing but texts has a say in it.
    pub fn proof(&self, patch: &Patch, text: &str) -> Result<Arc<Proof>, Refusal> {
        let trial = self.try_patch(patch)?;
        let (old, new) = (self.state(), trial.judge.state());
        let key = Digest::of_parts([
            &texts_digest(old).0[..],
            &texts_digest(new).0[..],
            text.as_bytes(),
        ]);
        if let Some(known) = self.site.proofs.get(&key) {
            return Ok(known);
        }
        let founding = |state: &State| {
            founding_of(state).ok_or_else(|| Refusal::plain("a game that has been founded"))
        };
        let (before, after) = (founding(old)?, founding(new)?);
        let files = self.files(&trial, text);
        let proof = Arc::new(self.run(&files, &before, after));
        self.site.proofs.put(key, Arc::clone(&proof));
        Ok(proof)
    }

    /// The files there are, those first that were written for this.
    fn files(&self, trial: &Trial, text: &str) -> Vec<File> {
        let touched = touched(trial);
        let mut files = fenced("the proposal", text, false);
        for id in &touched {
            if let Some(rule) = trial.judge.state().rules.get(id) {
                files.extend(fenced(&self.themed(&rule.title), &rule.text, true));
            }
        }
        let about = self.state().about.get(&());
        let mut books = self.site.parts.books.iter();
        let book = about.and_then(|about| books.find(|book| book.name == about.rulebook));
        if let Some(book) = book {
            files.extend(self.of_book(book, trial, &touched));
        }
        files
    }

    fn of_book(&self, book: &Rulebook, trial: &Trial, touched: &BTreeSet<Name>) -> Vec<File> {
        let mut words = BTreeSet::new();
        for id in touched {
            words.insert(id.to_string());
            for state in [self.state(), trial.judge.state()] {
                if let Some(rule) = state.rules.get(id) {
                    words.extend([rule.title.clone(), self.themed(&rule.title)]);
                }
            }
            for law in [&self.law, trial.judge.law()] {
                let own = law.actions.iter().filter(|(_, decl)| decl.site.rule == *id);
                words.extend(own.map(|(name, _)| name.to_string()));
            }
        }
        words.remove("");
        let stems: BTreeSet<String> = touched.iter().map(|id| plain(id.as_str())).collect();
        let is_home = |name: &str| stems.contains(&plain(name.trim_end_matches(".star")));
        let (homes, others): (Vec<_>, Vec<_>) =
            book.tests.iter().partition(|(name, _)| is_home(name));
        let mut files = Vec::new();
        for (name, code) in homes.into_iter().chain(others) {
            let quotes = || words.iter().any(|word| code.contains(word.as_str()));
            if !is_home(name) && !quotes() {
                continue;
            }
            let mut file = compiled(name.clone(), code, 0, true);
            if let (Ok(tests), false) = (&file.tests, is_home(name)) {
                let named = tests.naming(code, &words);
                file.wanted.retain(|test| named.contains(test));
            }
            files.push(file);
        }
        files
    }

    fn run(&self, files: &[File], before: &Founding, after: Founding) -> Proof {
        let end = self.site.now() + self.site.parts.house.tests;
        let is_over = {
            let site = Arc::clone(&self.site);
            move || site.now() >= end
        };
        let nowhere = |_: &str| None;
        let new = Runner::new(&nowhere).under(after).until(is_over.clone());
        let old = Runner::new(&nowhere)
            .under(before.clone())
            .until(is_over.clone());
        let mut proof = Proof {
            passed: 0,
            failed: Vec::new(),
            left: 0,
        };
        for file in files {
            let tests = match &file.tests {
                Ok(tests) => tests,
                Err(message) => {
                    proof.failed.push(Failed {
                        file: file.name.clone(),
                        test: String::new(),
                        line: file.above,
                        message: message.clone(),
                        today: file.is_of_today,
                    });
                    continue;
                }
            };
            for name in &file.wanted {
                if is_over() {
                    proof.left += 1;
                    continue;
                }
                let outcome = new.run_one(tests, name, "");
                let Some(failure) = &outcome.failed else {
                    proof.passed += 1;
                    continue;
                };
                if failure.message.contains(OVER) || is_over() {
                    proof.left += 1;
                    continue;
                }
                let fails = |outcome: Outcome| outcome.failed.is_some();
                proof.failed.push(Failed {
                    file: file.name.clone(),
                    test: name.clone(),
                    line: failure.line + file.above,
                    message: failure.message.clone(),
                    today: file.is_of_today && fails(old.run_one(tests, name, "")),
                });
            }
        }
        proof
    }
}

/// The rules that a trial makes, changes or takes away.
pub(crate) fn touched(trial: &Trial) -> BTreeSet<Name> {
    let steps = trial.event.steps.iter();
    steps
        .filter_map(|step| match &step.effect {
            Change::Rule { key, .. } => Some(key.clone()),
            _ => None,
        })
        .collect()
}

/// The tests in the fences of a text.
fn fenced(name: &str, text: &str, is_of_today: bool) -> Vec<File> {
    let fences = RuleText::parse(text).tests;
    fences
        .iter()
        .map(|fence| compiled(name.to_owned(), &fence.code, fence.line - 1, is_of_today))
        .collect()
}

fn compiled(name: String, code: &str, above: u32, is_of_today: bool) -> File {
    let tests = TestFile::compile_within(&name, code, Limits::GUEST);
    let wanted = tests.as_ref().map_or_else(
        |_| Vec::new(),
        |file| file.tests().map(|(name, ..)| name.to_owned()).collect(),
    );
    File {
        name,
        above,
        tests: tests.map_err(|failure| failure.message),
        wanted,
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

fn told(proof: &Proof) -> Vec<Effect> {
    let mut lines = Vec::new();
    let mut asleep: BTreeMap<&str, usize> = BTreeMap::new();
    for failed in &proof.failed {
        if failed.today {
            *asleep.entry(&failed.file).or_default() += 1;
            continue;
        }
        let lead = if failed.test.is_empty() {
            format!("The tests of {} do not check:", failed.file)
        } else {
            let Failed {
                file, line, test, ..
            } = failed;
            format!("Fails: {test} ({file}, line {line}):")
        };
        lines.push(Effect::new(lead, failed.message.as_str()).alarm());
    }
    if proof.passed > 0 {
        let passed = crate::ui::plural(proof.passed, "test", "tests");
        lines.push(Effect::new("Passed:", format!("{passed}.")));
    }
    for (file, count) in asleep {
        let count = crate::ui::plural(count, "test", "tests");
        lines.push(Effect::new(
            "Fails today as well:",
            format!("{count} of {file}."),
        ));
    }
    if proof.left > 0 {
        let left = crate::ui::plural(proof.left, "test", "tests");
        lines.push(Effect::new(
            "Left out:",
            format!("{left}, for the time was over."),
        ));
    }
    if lines.is_empty() {
        lines.push(Effect::new("None:", "no test names what it changes."));
    }
    lines
}
