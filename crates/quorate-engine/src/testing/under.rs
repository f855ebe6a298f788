//! Tests of a law that stands in no rulebook, such as one that a proposal would make: which of them name its rules, and
//! games that begin under it.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::command::{Founding, FoundingRule, typed};
use quorate_kernel::event::Event;
use quorate_kernel::law::LIBRARY;
use quorate_kernel::state::State;

use super::{NAMES, Runner, TestFile};
use crate::query::PageAccount;

impl Runner<'_> {
    /// The same, whose games all begin with this, whichever rulebook a test names.
    #[must_use]
    pub fn under(mut self, law: Founding) -> Self {
        self.law = Some(Rc::new(law));
        self
    }

    /// The same, whose games are all paid from one account; a test stops where nothing is left on it.
    #[must_use]
    pub fn paid_from(mut self, account: &Arc<PageAccount>) -> Self {
        self.account = Some(Arc::clone(account));
        self
    }

    /// The same, which has somebody look at the log of each game that a test played; what they find fails the test.
    #[must_use]
    pub fn looked_at(
        mut self,
        again: impl Fn(&[Event], &[u8; 32]) -> Result<(), String> + 'static,
    ) -> Self {
        self.again = Some(Rc::new(again));
        self
    }

    /// The same, which stops a test as soon as this is so.
    #[must_use]
    pub fn until(mut self, is_over: impl Fn() -> bool + 'static) -> Self {
        self.is_over = Some(Rc::new(is_over));
        self
    }
}

impl TestFile {
    /// The tests of which the code, or that of a function they call, holds one of these words in quotes; `code` is the
    /// file's own.
    pub fn naming(&self, code: &str, words: &BTreeSet<String>) -> BTreeSet<String> {
        let functions = self.tests.functions();
        let lines: Vec<&str> = code.lines().collect();
        let bodies = functions.iter().enumerate().map(|(nth, function)| {
            let begin = (function.line as usize).saturating_sub(1).min(lines.len());
            let end = functions.get(nth + 1).map(|next| next.line as usize - 1);
            let end = end.unwrap_or(lines.len()).clamp(begin, lines.len());
            (function.name.as_str(), lines[begin..end].join("\n"))
        });
        let bodies: Vec<(&str, String)> = bodies.collect();
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let mut known: BTreeSet<&str> = bodies
            .iter()
            .filter(|(_, body)| quoted.iter().any(|word| body.contains(word)))
            .map(|(name, _)| *name)
            .collect();
        loop {
            let calls: Vec<String> = known.iter().map(|name| format!("{name}(")).collect();
            let fresh = bodies
                .iter()
                .filter(|(name, body)| {
                    !known.contains(name) && calls.iter().any(|call| body.contains(call))
                })
                .map(|(name, _)| *name);
            let fresh: Vec<&str> = fresh.collect();
            if fresh.is_empty() {
                break;
            }
            known.extend(fresh);
        }
        let tests = known.into_iter().filter(|name| name.starts_with("test_"));
        tests.map(str::to_owned).collect()
    }
}

/// What a new game would begin with if it were founded of the law that a game has: its rules, sections and words as they
/// stand, none of its people and values. None for a game that is not founded itself.
pub fn founding_of(state: &State) -> Option<Founding> {
    let about = state.about.get(&())?;
    let rules = state.rules_in_order().into_iter();
    let rules: Vec<FoundingRule> = rules
        .map(|(id, rule)| FoundingRule {
            id: id.clone(),
            section: rule.section.clone(),
            parent: rule.parent.clone(),
            title: rule.title.clone(),
            text: rule.text.clone(),
            active: rule.active,
            tags: rule.tags.clone(),
        })
        .collect();
    let of_library = |rule: &FoundingRule| rule.section == LIBRARY;
    // Helpers come first, as they do in a rulebook.
    let (mut first, rest): (Vec<_>, Vec<_>) = rules.into_iter().partition(of_library);
    first.extend(rest);
    Some(Founding {
        title: about.title.clone(),
        rulebook: about.rulebook.clone(),
        edition: about.edition,
        founder: typed(NAMES[0]),
        sections: state
            .sections
            .iter()
            .map(|(name, section)| (name.clone(), section.clone()))
            .collect(),
        rules: first,
        new_rules: about.new_rules.clone(),
        unnamed: about.unnamed.clone(),
        terms: state
            .terms
            .iter()
            .map(|(name, term)| (name.clone(), term.clone()))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::no_helpers;

    const FILE: &str = "def law(g):\n    return g.call(\"source\", \"tolls\")\n\ndef other(g):\n    return 1\n\n\
        def test_one():\n    law(game(\"x\"))\n\ndef test_two():\n    other(game(\"x\"))\n\n\
        def test_three():\n    eq(\"Tolls\", \"Tolls\")\n";

    #[test]
    fn tests_are_found_by_what_they_quote_and_by_what_they_call() {
        let file = TestFile::compile("f", FILE, &no_helpers).expect("it checks");
        let words = BTreeSet::from(["tolls".to_owned(), "Tolls".to_owned()]);
        let found = file.naming(FILE, &words);
        assert_eq!(Vec::from_iter(found), ["test_one", "test_three"]);
        assert!(file.naming(FILE, &BTreeSet::new()).is_empty());
    }
}
