//! Which tests to ask first: those that speak of what the changed code speaks of, and those that noticed its like before.
//!
//! The order decides how soon a change is noticed and never whether.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use quorate_law::RuleText;

use super::mutant::Mutant;

/// The tests of a rulebook, as far as their order asks for it.
pub struct TestOrder {
    /// Each test: its file among the rulebook's, its name and the text at its top.
    pub(super) all: Vec<RankedTest>,
    /// How many tests hold a word.
    holders: BTreeMap<String, u32>,
    /// How many mutants of a fence each test noticed: file and fence, test.
    noticed: Mutex<BTreeMap<(usize, usize), BTreeMap<usize, u32>>>,
}

/// A test.
#[derive(Clone, Debug)]
pub(super) struct RankedTest {
    /// Its file, counted from 0.
    pub file: usize,
    /// Its name.
    pub name: String,
    words: BTreeSet<String>,
}

impl TestOrder {
    /// From the test files' code and the tests in each: name, and line counted from 1.
    pub(super) fn new(files: &[(&str, Vec<(String, u32)>)]) -> Self {
        let mut all = Vec::new();
        for (file, (code, tests)) in files.iter().enumerate() {
            let lines: Vec<&str> = code.lines().collect();
            for (at, (name, line)) in tests.iter().enumerate() {
                let from = line.saturating_sub(1) as usize;
                let next = tests.get(at + 1).map(|(_, line)| *line as usize);
                let to = next.map_or(lines.len(), |next| next - 1).min(lines.len());
                let text = lines.get(from..to).unwrap_or(&[]).join("\n");
                all.push(RankedTest {
                    file,
                    name: name.clone(),
                    words: words(&text),
                });
            }
        }
        let mut holders = BTreeMap::new();
        for test in &all {
            for word in &test.words {
                *holders.entry(word.clone()).or_default() += 1;
            }
        }
        Self {
            all,
            holders,
            noticed: Mutex::default(),
        }
    }

    /// The tests' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|test| test.name.as_str())
    }

    /// All tests, those first that are likely to notice a mutant of this text.
    pub(super) fn order(&self, mutant: &Mutant, text: &str) -> Vec<usize> {
        let scores = self.scores(mutant, text);
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by_key(|index| (std::cmp::Reverse(scores[*index]), *index));
        order
    }

    /// How likely each test is to notice a mutant of this text.
    pub(super) fn scores(&self, mutant: &Mutant, text: &str) -> Vec<u64> {
        let around = fence_around(text, mutant);
        let (near, wide) = (words(&function_around(text, mutant)), words(&around));
        let noticed = self.with_noticed(|noticed| {
            let of_fence = noticed.get(&(mutant.file, mutant.fence));
            of_fence.cloned().unwrap_or_default()
        });
        let score = |index: usize| -> u64 {
            let shared = |of: &BTreeSet<String>| -> u64 {
                let test = &self.all[index];
                let both = of.intersection(&test.words);
                both.map(|word| 10_000 / u64::from(self.holders[word]))
                    .sum()
            };
            let known = u64::from(noticed.get(&index).copied().unwrap_or(0));
            known * 1_000_000 + 2 * shared(&near) + shared(&wide)
        };
        (0..self.all.len()).map(score).collect()
    }

    /// A test noticed a mutant.
    pub(super) fn notice(&self, mutant: &Mutant, test: usize) {
        self.with_noticed(|noticed| {
            let of_fence = noticed.entry((mutant.file, mutant.fence)).or_default();
            *of_fence.entry(test).or_default() += 1;
        });
    }

    fn with_noticed<T>(
        &self,
        look: impl FnOnce(&mut BTreeMap<(usize, usize), BTreeMap<usize, u32>>) -> T,
    ) -> T {
        // Counts are whole whenever the lock is free, whoever panicked.
        let noticed = self.noticed.lock();
        look(&mut noticed.unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

/// The words of some code, those of code names with hyphens among them.
fn words(code: &str) -> BTreeSet<String> {
    let all = code.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    all.filter(|word| word.len() > 2)
        .map(str::to_lowercase)
        .collect()
}

fn fence_around(text: &str, mutant: &Mutant) -> String {
    let line = text[..mutant.fence].lines().count() + 1;
    let fences = RuleText::parse(text).fences;
    let fence = fences.into_iter().find(|fence| fence.line as usize == line);
    fence.map_or_else(String::new, |fence| fence.code)
}

/// The lines of the top-level statement in which a mutant stands: blank lines part them.
fn function_around(text: &str, mutant: &Mutant) -> String {
    let from = text[..mutant.at.start].rfind("\n\n").map_or(0, |at| at + 2);
    let to = text[mutant.at.end..]
        .find("\n\n")
        .map_or(text.len(), |at| mutant.at.end + at);
    text[from..to].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_speaks_of_the_changed_code_is_asked_first_and_one_that_noticed_before_that() {
        let code = "def test_a():\n    g.act(p, \"sleep\")\n\ndef test_b():\n    g.act(p, \"hunt\", prey = 1)\n\ndef test_c():\n    pass\n";
        let names = [("test_a", 1), ("test_b", 4), ("test_c", 7)];
        let names = names.map(|(name, line)| (name.to_owned(), line)).to_vec();
        let tests = TestOrder::new(&[(code, names)]);
        let rule = "# Hunt\n\n1. A clause.\n\n```starlark\ndef hunt(prey: int):\n    require(prey > 0, \"w\")\n```\n";
        let mutants = crate::mutation::mutant::of_file(0, &"hunt".into(), rule);
        assert_eq!(tests.order(&mutants[0], rule), [1, 0, 2]);
        tests.notice(&mutants[0], 2);
        assert_eq!(tests.order(&mutants[1], rule), [2, 1, 0]);
    }
}
