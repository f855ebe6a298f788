//! Conditions of changes: each is asked as the game and the vote now stand, and tried the other way as well, for until the
//! enactment its answer may turn.

use quorate_kernel::Refusal;
use quorate_kernel::patch::{Clause, Patch};
use serde::Serialize;

use crate::alone;
use crate::consequence::Consequence;
use crate::enactment::Proposed;
use crate::fork::Fork;
use crate::shape;
use crate::trial::PatchTrial;

/// Of how many conditions the other way is tried.
const CONDITIONS: usize = 6;

/// A condition of some changes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Condition {
    /// Its expression.
    pub test: String,
    /// Whether it holds now.
    pub holds: bool,
    /// Whether the other way was tried; there are many conditions, or the time was over, where it was not.
    pub tried: bool,
    /// Why the post could not be enacted at all, were it otherwise.
    #[serde(serialize_with = "shape::some_refusal")]
    pub refused: Option<Refusal>,
    /// What would happen, were it otherwise, that does not happen now.
    pub otherwise: Vec<Consequence>,
    /// What happens now and would not, were it otherwise.
    pub instead_of: Vec<Consequence>,
}

/// The conditions of a patch, in their order. One within another is asked only where that one holds.
pub(crate) fn conditions(
    fork: &Fork<'_>,
    proposed: &Proposed,
    patch: &Patch,
    trial: &PatchTrial,
) -> Vec<Condition> {
    let mut tests = Vec::new();
    asked(&patch.clauses, trial, &mut tests);
    if tests.is_empty() {
        return Vec::new();
    }
    let now = alone::consequences(fork, trial);
    let only = |these: &[Consequence], those: &[Consequence]| -> Vec<Consequence> {
        let fresh = these.iter().filter(|one| !those.contains(one));
        fresh.cloned().collect()
    };
    let tests = tests.into_iter().enumerate();
    let found = tests.map(|(nth, (test, holds))| {
        let tried = nth < CONDITIONS && !fork.is_over();
        let mut condition = Condition {
            test: test.to_owned(),
            holds,
            tried,
            refused: None,
            otherwise: Vec::new(),
            instead_of: Vec::new(),
        };
        if tried {
            let other = proposed.with(&fork.judge, answered(patch, test, !holds));
            match fork.try_out(&other) {
                Ok(trial) => {
                    let then = alone::consequences(fork, &trial);
                    condition.otherwise = only(&then, &now);
                    condition.instead_of = only(&now, &then);
                }
                Err(refusal) => condition.refused = Some(refusal),
            }
        }
        condition
    });
    found.collect()
}

/// The tests of some changes that are asked, each once, with whether it held in the trial.
fn asked<'p>(clauses: &'p [Clause], trial: &PatchTrial, tests: &mut Vec<(&'p str, bool)>) {
    for clause in clauses {
        let Clause::When { test, clauses } = clause else {
            continue;
        };
        let mut unmet = trial.unmet_conditions.iter();
        let holds = !unmet.any(|unmet| unmet.test == *test);
        if !tests.iter().any(|(known, _)| *known == &**test) {
            tests.push((test, holds));
        }
        if holds {
            asked(clauses, trial, tests);
        }
    }
}

/// A patch with one condition answered. Each change keeps its place, by which the law may name it.
fn answered(patch: &Patch, asked: &str, holds: bool) -> Patch {
    Patch {
        clauses: with_answer(&patch.clauses, asked, holds),
    }
}

fn with_answer(clauses: &[Clause], asked: &str, holds: bool) -> Vec<Clause> {
    let answer = if holds { "True" } else { "False" };
    let answered = clauses.iter().map(|clause| match clause {
        Clause::When { test, clauses } => Clause::When {
            test: if **test == *asked {
                answer.into()
            } else {
                test.clone()
            },
            clauses: with_answer(clauses, asked, holds),
        },
        other => other.clone(),
    });
    answered.collect()
}
