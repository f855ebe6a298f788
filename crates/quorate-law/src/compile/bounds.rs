//! How large a law may be. What is beyond sleeps, the youngest first, so that a new rule never takes an old one with it.

use super::Compilation;
use crate::diagnostic::CodeFault;

/// The most code, in bytes.
pub(crate) const LAW_BYTES_MAX: usize = 1 << 20;

/// The most fences.
pub(crate) const FENCES_MAX: usize = 3_000;

/// The most names that fences define.
pub(crate) const NAMES_MAX: usize = 10_000;

/// In so many rounds fences may fall asleep, one after another, before the youngest are given up.
const ROUNDS_MAX: u32 = 128;

/// Of the fences that are awake, the part that is given up at a time at least.
const PART_GIVEN_UP: usize = 8;

/// What a law comes to.
#[derive(Default)]
struct LawSize {
    bytes: usize,
    fences: usize,
    names: usize,
}

impl LawSize {
    /// Which bound it is beyond.
    fn beyond(&self) -> Option<&'static str> {
        if self.bytes > LAW_BYTES_MAX {
            Some("the law has more than 1 MiB of code")
        } else if self.fences > FENCES_MAX {
            Some("the law has more than 3,000 blocks of code")
        } else if self.names > NAMES_MAX {
            Some("the law defines more than 10,000 names")
        } else {
            None
        }
    }
}

fn asleep(text: &str) -> Vec<CodeFault> {
    let fault = CodeFault::new(0, text);
    vec![fault.help("repeal rules that nobody needs, or put what they say into fewer words")]
}

impl Compilation<'_> {
    /// The fences that are awake, the oldest first.
    fn by_age(&self) -> Vec<usize> {
        let awake = |index: &usize| self.units[*index].is_some();
        let mut fences: Vec<usize> = (0..self.units.len()).filter(awake).collect();
        fences.sort_by_key(|index| self.age(*index));
        fences
    }

    /// Library texts are older than all rules.
    fn age(&self, fence: usize) -> (bool, u64) {
        let source = &self.sources[self.infos[fence].source];
        (!source.library, source.since)
    }

    /// Puts to sleep what is beyond what a law may be.
    pub(super) fn keep_within_bounds(&mut self) {
        let mut extent = LawSize::default();
        let mut beyond = Vec::new();
        for index in self.by_age() {
            let Some(unit) = &self.units[index] else {
                continue;
            };
            let (bytes, names) = (self.infos[index].code.len(), unit.defines.len());
            extent.bytes += bytes;
            extent.fences += 1;
            extent.names += names;
            if let Some(text) = extent.beyond() {
                beyond.push((index, asleep(text)));
                // A small one may fit where a large one did not.
                extent.bytes -= bytes;
                extent.fences -= 1;
                extent.names -= names;
            }
        }
        self.sleep_all(beyond);
    }

    /// From some round on, gives up the rules that changed last, and an eighth of all fences at least: the law takes too
    /// long to be checked.
    pub(super) fn give_up_in_time(&mut self, round: u32) {
        if round <= ROUNDS_MAX {
            return;
        }
        let mut fences = self.by_age();
        fences.reverse();
        let Some(youngest) = fences.first().map(|fence| self.age(*fence)) else {
            return;
        };
        let least = (fences.len() / PART_GIVEN_UP).max(1);
        let of_youngest = fences.iter().filter(|fence| self.age(**fence) == youngest);
        let count = of_youngest.count().max(least);
        let text = "too much of the law breaks, one block after another, to check the rest of it";
        let given_up = fences.into_iter().take(count);
        let given_up: Vec<_> = given_up.map(|fence| (fence, asleep(text))).collect();
        self.sleep_all(given_up);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use quorate_kernel::Name;

    use crate::compile::{Compiled, RuleSource, compile};
    use crate::text::RuleText;

    fn rule(name: &str, since: u64, fences: &[String]) -> RuleSource {
        let clause = |(nth, code): (usize, &String)| {
            format!("{}. It is so.\n\n```starlark\n{code}```\n\n", nth + 1)
        };
        let clauses: String = fences.iter().enumerate().map(clause).collect();
        RuleSource {
            rule: Name::from(name),
            title: name.to_owned(),
            library: false,
            since,
            text: RuleText::parse(&format!("# {name}\n\n{clauses}")),
            left: None,
        }
    }

    /// The rules that have something that sleeps, and what is said of the last.
    fn slept(compiled: &Compiled) -> (BTreeSet<&str>, &str) {
        let rules = compiled.asleep.iter().map(|asleep| asleep.rule.as_str());
        let last = compiled.asleep.last().expect("something sleeps");
        (rules.collect(), &last.diagnostics[0].text)
    }

    #[test]
    fn of_too_many_names_the_youngest_sleep_wherever_they_stand() {
        let names = |from: usize, count: usize| -> Vec<String> {
            let numbers: Vec<usize> = (from..from + count).collect();
            let fences = numbers.chunks(500);
            let line = |n: &usize| format!("N{n} = {n}\n");
            let lines = fences.map(|part| part.iter().map(line).collect::<Vec<_>>().concat());
            lines.collect()
        };
        let young = rule("young", 9, &names(20_000, 500));
        let old = rule("old", 3, &names(0, 9_600));
        let compiled = compile(&[young, old], 2);
        let (rules, why) = slept(&compiled);
        assert_eq!(rules, BTreeSet::from(["young"]));
        assert!(why.contains("10,000 names"), "{why}");
    }

    #[test]
    fn blocks_that_break_one_after_another_do_not_take_one_round_each() {
        let breaks = |n: usize| format!("N{n} = 1 // 0\n");
        let bad: Vec<String> = (0..150).map(breaks).collect();
        let good = rule("good", 1, &["def two() -> int:\n    return 2\n".to_owned()]);
        let compiled = compile(&[good, rule("bad", 2, &bad)], 2);
        let (rules, why) = slept(&compiled);
        assert_eq!(
            (rules, compiled.asleep.len()),
            (BTreeSet::from(["bad"]), 150)
        );
        assert!(why.contains("too much of the law breaks"), "{why}");
    }
}
