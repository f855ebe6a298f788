//! Whether tests bite: which of them fail once the code under a clause is gone.
//!
//! A test that fails whatever is taken away says little about any clause, and much of what is common code is needed before a
//! game has begun to be played. So what is noticed by most of a few tests from everywhere counts as a foundation, and a test
//! bites only where it fails with something gone that is none, or with a small change of a foundation that most tests pass.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use quorate_engine::rulebook::{Rulebook, rule_id};

use super::mutant::{self, Mutant};
use super::order::TestOrder;
use super::trial::MutantTrial;

/// How many tests from everywhere say whether some code is a foundation.
const EVERYWHERE: usize = 6;

/// How many tests that are likely to notice are run for each fence.
const LIKELY: usize = 12;

/// How many fences are tried for a test that has not bitten yet.
const TRIES: usize = 48;

/// A test that was run with the code of a fence gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRun {
    /// The fence, counted as [`emptied`] gives them.
    pub fence: usize,
    /// The test, counted in the order of the rulebook's.
    pub test: usize,
    /// Whether it failed.
    pub failed: bool,
}

/// What tests bite on.
#[derive(Clone, Debug, Default)]
pub struct Biting {
    /// The fences whose code no test misses.
    pub unmissed: Vec<usize>,
    /// The fences that are foundations.
    pub foundations: BTreeSet<usize>,
    /// The tests that bite, by name, each with the fences that it was seen to miss.
    pub tests: BTreeMap<String, Vec<usize>>,
}

/// A rulebook's fences, each with its code gone, in the order of its files.
#[must_use]
pub fn emptied(book: &Rulebook) -> Vec<Mutant> {
    let files = book.rules.iter().enumerate();
    let fences =
        files.flat_map(|(file, (path, text))| mutant::emptied_of(file, &rule_id(path), text));
    fences.collect()
}

/// Runs tests of a rulebook with the code of one fence gone. Each thread has its own.
pub struct StrictTrial<'a> {
    trial: MutantTrial<'a>,
    book: &'a Rulebook,
    tests: &'a TestOrder,
}

impl<'a> StrictTrial<'a> {
    /// For a rulebook.
    ///
    /// # Errors
    /// Fails where a test file does not check.
    pub fn new(book: &'a Rulebook, tests: &'a TestOrder) -> Result<Self> {
        let trial = MutantTrial::new(book, tests)?;
        Ok(Self { trial, book, tests })
    }

    /// A few tests from everywhere, those that are likely to notice, and all others in turn until one does.
    #[must_use]
    pub fn of(&self, fence: usize, fences: &[Mutant]) -> Vec<TestRun> {
        let mutant = &fences[fence];
        let everywhere = everywhere(self.tests.all.len());
        let mut order = everywhere.clone();
        let likely = self.tests.order(mutant, &self.book.rules[mutant.file].1);
        order.extend(likely.into_iter().filter(|test| !everywhere.contains(test)));
        let few = everywhere.len();
        let mut runs: Vec<TestRun> = Vec::new();
        self.trial.with(mutant, |fails| {
            for (nth, test) in order.into_iter().enumerate() {
                let reds = runs.iter().filter(|run| run.failed).count();
                let is_foundation = nth >= few && reds * 2 > few;
                if is_foundation || nth >= few + LIKELY && reds > 0 {
                    break;
                }
                let failed = fails(test);
                runs.push(TestRun {
                    fence,
                    test,
                    failed,
                });
            }
        });
        runs
    }

    /// The first small change of a foundation's code with which a test fails and most tests from everywhere do not; those that
    /// the test speaks of most are tried.
    #[must_use]
    pub fn notices(&self, test: usize, small: &[Mutant]) -> Option<usize> {
        let score = |mutant: &Mutant| {
            let text = &self.book.rules[mutant.file].1;
            self.tests.scores(mutant, text)[test]
        };
        let mut order: Vec<usize> = (0..small.len()).collect();
        order.sort_by_cached_key(|nth| (std::cmp::Reverse(score(&small[*nth])), *nth));
        let few = everywhere(self.tests.all.len());
        order.into_iter().take(TRIES).find(|nth| {
            self.trial.with(&small[*nth], |fails| {
                fails(test) && few.iter().filter(|other| fails(**other)).count() * 2 <= few.len()
            })
        })
    }

    /// Some tests with the code of one fence gone.
    #[must_use]
    pub fn of_tests(&self, fence: usize, fences: &[Mutant], tests: &[usize]) -> Vec<TestRun> {
        let mut runs = Vec::new();
        self.trial.with(&fences[fence], |fails| {
            runs.extend(tests.iter().map(|test| TestRun {
                fence,
                test: *test,
                failed: fails(*test),
            }));
        });
        runs
    }
}

/// A few of so many tests, from everywhere.
fn everywhere(count: usize) -> Vec<usize> {
    let step = count.div_ceil(EVERYWHERE).max(1);
    (0..count).step_by(step).collect()
}

/// Of all mutants, those that stand in some fences.
#[must_use]
pub fn small_changes(
    mut all: Vec<Mutant>,
    fences: &[Mutant],
    within: &BTreeSet<usize>,
) -> Vec<Mutant> {
    let place = |mutant: &Mutant| (mutant.file, mutant.fence);
    let places: BTreeSet<_> = within.iter().map(|fence| place(&fences[*fence])).collect();
    all.retain(|mutant| places.contains(&place(mutant)));
    all
}

/// What the runs of all fences show.
#[must_use]
pub fn bitten(fences: usize, tests: &TestOrder, runs: &[TestRun]) -> Biting {
    let few = everywhere(tests.all.len());
    let mut biting = Biting::default();
    for fence in 0..fences {
        let failed = runs.iter().filter(|run| run.fence == fence && run.failed);
        let failed: BTreeSet<usize> = failed.map(|run| run.test).collect();
        let everywhere = failed.iter().filter(|test| few.contains(test)).count();
        if failed.is_empty() {
            biting.unmissed.push(fence);
        } else if everywhere * 2 > few.len() {
            biting.foundations.insert(fence);
        } else {
            for test in failed {
                let name = tests.all[test].name.clone();
                biting.tests.entry(name).or_default().push(fence);
            }
        }
    }
    biting
}

impl Biting {
    /// The tests that have not bitten, counted in the order of the rulebook's.
    #[must_use]
    pub fn toothless(&self, tests: &TestOrder) -> Vec<usize> {
        let all = tests.all.iter().enumerate();
        let left = all.filter(|(_, ranked)| !self.tests.contains_key(&ranked.name));
        left.map(|(test, _)| test).collect()
    }

    /// What is still to be tried: each test that has not bitten yet on the fences that it speaks of most, as far as it was not
    /// run on them. By fence.
    #[must_use]
    pub fn left(
        &self,
        book: &Rulebook,
        tests: &TestOrder,
        fences: &[Mutant],
        runs: &[TestRun],
    ) -> Vec<(usize, Vec<usize>)> {
        let known: BTreeSet<(usize, usize)> =
            runs.iter().map(|run| (run.fence, run.test)).collect();
        let scores: Vec<Vec<u64>> = fences
            .iter()
            .map(|fence| tests.scores(fence, &book.rules[fence.file].1))
            .collect();
        let mut left: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for test in self.toothless(tests) {
            let candidates = (0..fences.len()).filter(|fence| {
                !self.foundations.contains(fence) && !known.contains(&(*fence, test))
            });
            let mut candidates: Vec<usize> = candidates.collect();
            candidates.sort_by_key(|fence| std::cmp::Reverse(scores[*fence][test]));
            for fence in candidates.into_iter().take(TRIES) {
                left.entry(fence).or_default().push(test);
            }
        }
        left.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "# Votes\n\n1. Some may vote.\n\n```starlark\n# A remark.\nx = 1\n```\n\n2. Others not.\n\n```starlark\n# A remark alone.\n```\n";

    fn run(fence: usize, test: usize, failed: bool) -> TestRun {
        TestRun {
            fence,
            test,
            failed,
        }
    }

    #[test]
    fn a_fence_of_remarks_is_no_code_and_one_with_code_loses_all_of_it() {
        let fences = mutant::emptied_of(0, &"votes".into(), RULE);
        let changes: Vec<_> = fences.iter().map(|fence| fence.change.as_str()).collect();
        assert_eq!(changes, ["the code of clause 1 is gone"]);
        let applied = fences[0].applied(RULE);
        assert!(!applied.contains("x = 1"));
        assert!(applied.contains("```starlark\n```\n"), "{applied}");
    }

    #[test]
    fn small_changes_are_of_the_fences_asked_for_and_a_test_that_bites_on_nothing_is_toothless() {
        let text = RULE.replace("# A remark alone.", "y = 5");
        let fences = mutant::emptied_of(0, &"votes".into(), &text);
        let all = mutant::of_file(0, &"votes".into(), &text);
        let small = small_changes(all, &fences, &BTreeSet::from([1]));
        assert!(!small.is_empty());
        assert!(
            small.iter().all(|mutant| mutant.code == "y = 5"),
            "{small:?}"
        );
        let code = "def test_a():\n    pass\n";
        let tests = TestOrder::new(&[(code, vec![("test_a".to_owned(), 1)])]);
        assert_eq!(Biting::default().toothless(&tests), [0]);
    }

    #[test]
    fn what_most_tests_miss_is_a_foundation_on_which_no_test_bites() {
        let code =
            "def test_a():\n    pass\n\ndef test_b():\n    pass\n\ndef test_c():\n    pass\n";
        let names = [("test_a", 1), ("test_b", 4), ("test_c", 7)];
        let names = names.map(|(name, line)| (name.to_owned(), line)).to_vec();
        let tests = TestOrder::new(&[(code, names)]);
        let runs = [
            run(0, 0, true),
            run(0, 1, true),
            run(0, 2, false),
            run(1, 0, false),
            run(1, 1, true),
            run(2, 0, false),
            run(2, 1, false),
        ];
        let biting = bitten(3, &tests, &runs);
        assert_eq!(biting.foundations, BTreeSet::from([0]));
        assert_eq!(biting.unmissed, [2]);
        assert_eq!(
            biting.tests,
            BTreeMap::from([("test_b".to_owned(), vec![1])])
        );
    }
}
