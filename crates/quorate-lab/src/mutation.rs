//! Mutation: a rulebook with one small thing changed in its code, and the question whether its tests notice.

mod emptied;
mod equivalent;
mod mutant;
mod operators;
mod order;
mod tokens;
mod trial;

use quorate_engine::rulebook::{Rulebook, rule_id};
use quorate_kernel::Name;

pub use emptied::{Biting, StrictTrial, TestRun, bitten, emptied, small_changes};
pub use equivalent::EquivalentMutants;
pub use mutant::{Mutant, sample};
pub use order::TestOrder;
pub use trial::{MutantTrial, MutantVerdict, tests_of};

/// All mutants of a rulebook, in the order of its files: of the rules with these code names, or in sections' folders of
/// these names; of all rules if there are none.
#[must_use]
pub fn of_rulebook(book: &Rulebook, only: &[String]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (file, (path, text)) in book.rules.iter().enumerate() {
        let rule = rule_id(path);
        let folder = path.split('/').next().unwrap_or("");
        let wanted = |name: &String| rule == name.as_str() || folder == name;
        if only.is_empty() || only.iter().any(wanted) {
            mutants.extend(mutant::of_file(file, &rule, text));
        }
    }
    mutants
}

/// All mutants of a rule's text, in its order.
pub(crate) fn of_text(text: &str) -> Vec<Mutant> {
    mutant::of_file(0, &Name::default(), text)
}
