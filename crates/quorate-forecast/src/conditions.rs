//! Conditions of changes: each is asked as the game and the vote now stand, and tried the other way as well, for until the
//! enactment its answer may turn.

use quorate_engine::NOT_SO;
use quorate_kernel::patch::{Clause, Patch};
use serde::Serialize;

use crate::alone;
use crate::consequence::Consequence;
use crate::enactment::Proposed;
use crate::fork::Fork;
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
    /// What would happen, were it otherwise, that does not happen now.
    pub otherwise: Vec<Consequence>,
    /// What happens now and would not, were it otherwise.
    pub instead_of: Vec<Consequence>,
}

/// The conditions of a patch, in their order.
pub(crate) fn conditions(
    fork: &Fork<'_>,
    proposed: &Proposed,
    patch: &Patch,
    trial: &PatchTrial,
) -> Vec<Condition> {
    let mut tests = Vec::new();
    for clause in &patch.clauses {
        if let Clause::When { test, .. } = clause
            && !tests.contains(test)
        {
            tests.push(test.clone());
        }
    }
    if tests.is_empty() {
        return Vec::new();
    }
    let now = alone::consequences(fork, trial);
    let mut found = Vec::new();
    for test in tests.into_iter().take(CONDITIONS) {
        if fork.is_over() {
            break;
        }
        let not_so = format!("{NOT_SO}: {test}");
        let unasked = format!("the condition cannot be asked: {test}:");
        let mut notes = trial.event.notes.iter();
        let holds = !notes.any(|note| note.text == not_so || note.text.starts_with(&unasked));
        let other = proposed.with(&fork.judge, answered(patch, &test, !holds));
        let then = fork.try_out(&other);
        let then = then
            .map(|trial| alone::consequences(fork, &trial))
            .unwrap_or_default();
        let only = |these: &[Consequence], those: &[Consequence]| -> Vec<Consequence> {
            let fresh = these.iter().filter(|one| !those.contains(one));
            fresh.cloned().collect()
        };
        found.push(Condition {
            test: test.to_string(),
            holds,
            otherwise: only(&then, &now),
            instead_of: only(&now, &then),
        });
    }
    found
}

/// A patch with one condition answered. Each change keeps its place, by which the law may name it.
fn answered(patch: &Patch, asked: &str, holds: bool) -> Patch {
    let answer = if holds { "True" } else { "False" };
    let clauses = patch.clauses.iter().map(|clause| match clause {
        Clause::When { test, clauses } if **test == *asked => Clause::When {
            test: answer.into(),
            clauses: clauses.clone(),
        },
        other => other.clone(),
    });
    Patch {
        clauses: clauses.collect(),
    }
}
