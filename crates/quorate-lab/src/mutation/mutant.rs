//! A rulebook with one small thing changed in its code.
//!
//! A change is an edit of some bytes inside a fence. It is found from the tokens of the code alone: whether what comes
//! of it is a law at all is asked of the law's own checks, and what is none is no mutant.

use std::ops::Range;

use quorate_kernel::Name;
use quorate_kernel::tape::{Seed, SeedId};
use quorate_law::RuleText;

use super::operators;

/// One small change to a rulebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Which of the rulebook's rule files, counted from 0.
    pub file: usize,
    /// The rule's code name.
    pub rule: Name,
    /// The fence's place in the file, in bytes: which mutants stand close to each other.
    pub fence: usize,
    /// The line of the file, counted from 1.
    pub line: usize,
    /// That line without its indentation, as it was.
    pub code: String,
    /// The bytes of the file that are replaced.
    pub at: Range<usize>,
    /// What takes their place.
    pub with: String,
    /// The change in words. The second of its sort in a line says so.
    pub change: String,
}

impl Mutant {
    /// The file's text with the change in it.
    pub fn applied(&self, text: &str) -> String {
        let (before, after) = (&text[..self.at.start], &text[self.at.end..]);
        format!("{before}{}{after}", self.with)
    }
}

/// All mutants of a rule file, in the order of its text.
pub(super) fn of_file(file: usize, rule: &Name, text: &str) -> Vec<Mutant> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let mut mutants: Vec<Mutant> = Vec::new();
    for fence in RuleText::parse(text).fences {
        let first = fence.line.saturating_sub(1) as usize;
        let last = first + fence.code.lines().count();
        let from = starts.get(first).copied().unwrap_or(text.len());
        let to = starts.get(last).copied().unwrap_or(text.len());
        for edit in operators::edits(&text[from..to]) {
            let at = from + edit.at.start..from + edit.at.end;
            let line = starts.partition_point(|start| *start <= at.start);
            let code = text.lines().nth(line - 1).unwrap_or("").trim().to_owned();
            let alike = |other: &&Mutant| {
                other.line == line && other.change.starts_with(edit.change.as_str())
            };
            let change = match mutants.iter().filter(alike).count() {
                0 => edit.change,
                more => format!("{} (number {} in the line)", edit.change, more + 1),
            };
            mutants.push(Mutant {
                file,
                rule: rule.clone(),
                fence: from,
                line,
                code,
                at,
                with: edit.with,
                change,
            });
        }
    }
    mutants
}

/// A rule file's fences, each with all of its code taken away. Fences that hold nothing but remarks are left out.
pub(super) fn emptied_of(file: usize, rule: &Name, text: &str) -> Vec<Mutant> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim().starts_with('#');
    let fences = RuleText::parse(text).fences.into_iter();
    let fences = fences.filter(|fence| !fence.code.lines().all(says_nothing));
    let mutants = fences.map(|fence| {
        let first = fence.line.saturating_sub(1) as usize;
        let last = first + fence.code.lines().count();
        let from = starts.get(first).copied().unwrap_or(text.len());
        let to = starts.get(last).copied().unwrap_or(text.len());
        let code = fence.code.lines().find(|line| !says_nothing(line));
        Mutant {
            file,
            rule: rule.clone(),
            fence: from,
            line: fence.line as usize,
            code: code.unwrap_or_default().trim().to_owned(),
            at: from..to,
            with: String::new(),
            change: match fence.clause {
                0 => "its code is gone".to_owned(),
                clause => format!("the code of clause {clause} is gone"),
            },
        }
    });
    mutants.collect()
}

/// Draws so many of the mutants, the same ones for the same seed, and leaves them in their order.
pub fn sample(mutants: Vec<Mutant>, count: usize, seed: u64) -> Vec<Mutant> {
    let id = SeedId {
        player: None,
        key: Name::from(format!("mutants {seed}")),
    };
    let seed = Seed::derive(&[0; 32], &id);
    // Each is drawn by what it is, so that a change elsewhere in the rulebook does not draw others.
    let lot = |mutant: &Mutant| {
        let what = format!("{} {} {}", mutant.rule, mutant.code, mutant.change);
        seed.die(&what, 1, i64::MAX)
    };
    let mut lots: Vec<i64> = mutants.iter().map(lot).collect();
    lots.sort_unstable();
    let Some(most) = count.checked_sub(1).map(|last| lots.get(last).copied()) else {
        return Vec::new();
    };
    let mut drawn = mutants;
    drawn.retain(|mutant| most.is_none_or(|most| lot(mutant) <= most));
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "---\nsection: core\n---\n# Votes\n\n1. Some may vote; 3 > 2.\n\n   ```starlark\n   LONG = 48\n\n   def late(a: int, b: int) -> bool:\n       return a > LONG or b > LONG\n   ```\n";

    #[test]
    fn a_mutant_differs_from_its_rule_in_the_bytes_it_names_and_its_line_is_the_file_s() {
        let mutants = of_file(0, &"votes".into(), RULE);
        let found: Vec<(usize, &str)> = mutants
            .iter()
            .map(|mutant| (mutant.line, mutant.change.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (9, "`48` becomes `47`"),
                (9, "`48` becomes `49`"),
                (12, "`>` becomes `>=`"),
                (12, "`>` becomes `<=`"),
                (12, "`or` becomes `and`"),
                (12, "`>` becomes `>=` (number 2 in the line)"),
                (12, "`>` becomes `<=` (number 2 in the line)"),
            ]
        );
        assert_eq!(
            mutants[3].applied(RULE),
            RULE.replacen("a > L", "a <= L", 1)
        );
        assert_eq!(mutants[6].code, "return a > LONG or b > LONG");
    }

    #[test]
    fn a_sample_is_the_same_for_the_same_seed_and_keeps_the_order() {
        let all = of_file(0, &"votes".into(), RULE);
        let some = sample(all.clone(), 3, 1);
        assert_eq!(some.len(), 3);
        assert_eq!(some, sample(all.clone(), 3, 1));
        assert!(
            some.windows(2)
                .all(|two| two[0].at.start <= two[1].at.start)
        );
        assert_eq!(sample(all.clone(), 99, 1), all);
        assert!(sample(all, 0, 1).is_empty());
    }
}
