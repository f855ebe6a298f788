//! Matters that are pending and touch the same rules or values: what one leaves of the other.

use std::collections::BTreeSet;

use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PostId, Thing};
use serde::Serialize;

use crate::consequence::Called;
use crate::enactment::Proposed;
use crate::fork::{Fork, strikes};
use crate::queue::{Why, news, pending};
use crate::trial::PatchTrial;

/// A pending matter that gets in the way of a post, or the other way round.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Collision {
    /// Which matter.
    pub post: Called,
    /// Whether that one is ahead, so that it is enacted first.
    pub is_ahead: bool,
    /// What is then in the way of the later of the two; nothing where both set the same value and the later one counts.
    pub why: Option<Why>,
}

/// What a change is about.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum CollisionSubject<'a> {
    Rule(&'a Name),
    Value(&'a Thing, &'a Name),
    Term(&'a Name),
    Page(&'a Name),
    Status(&'a PostId),
}

/// The pending matters that touch what a post touches, each enacted before it or after it on a copy. Two that touch nothing in
/// common are not tried: the whole report does that.
pub(crate) fn collisions(
    fork: &Fork<'_>,
    proposed: &Proposed,
    trial: &PatchTrial,
) -> Vec<Collision> {
    let of = proposed.post();
    let patch = proposed.patch(&fork.judge);
    let Some(patch) = patch.filter(|patch| !patch.clauses.iter().any(strikes)) else {
        return Vec::new();
    };
    let pending = pending(fork);
    let place = of.and_then(|of| pending.iter().position(|(id, _)| *id == of));
    let mine = subjects(patch);
    let mut found = Vec::new();
    for (nth, (id, post)) in pending.iter().enumerate() {
        let theirs = post.patch.as_ref().and_then(Sealed::plain);
        let is_tried = |theirs: &&Patch| {
            Some(*id) != of
                && !theirs.clauses.iter().any(strikes)
                && !subjects(theirs).is_disjoint(&mine)
        };
        let Some(theirs) = theirs.filter(is_tried) else {
            continue;
        };
        if fork.is_over() {
            break;
        }
        let is_ahead = place.is_none_or(|place| nth < place);
        let other = Proposed::Post(*id);
        let Ok(alone) = fork.try_on(&fork.judge, &other) else {
            continue;
        };
        let problems = if is_ahead {
            news(trial, fork.try_on(&alone.judge, proposed))
        } else {
            news(&alone, fork.try_on(&trial.judge, &other))
        };
        let why = problems.into_iter().next();
        if why.is_some() || sets_same(patch, theirs) {
            found.push(Collision {
                post: fork.called(&fork.judge, &Thing::Post(*id)),
                is_ahead,
                why,
            });
        }
    }
    found
}

/// What the changes of a patch are about, those under conditions too.
fn subjects(patch: &Patch) -> BTreeSet<CollisionSubject<'_>> {
    let mut found = BTreeSet::new();
    gather(&patch.clauses, &mut found);
    found
}

fn gather<'a>(clauses: &'a [Clause], found: &mut BTreeSet<CollisionSubject<'a>>) {
    for clause in clauses {
        let subject = match clause {
            Clause::SetValue { thing, name, .. } | Clause::AddToValue { thing, name, .. } => {
                Some(CollisionSubject::Value(thing, name))
            }
            Clause::SetTerm { name, .. } => Some(CollisionSubject::Term(name)),
            Clause::SetPage { name, .. } => Some(CollisionSubject::Page(name)),
            Clause::SetStatus { post, .. } => Some(CollisionSubject::Status(post)),
            Clause::When { clauses, .. } => {
                gather(clauses, found);
                None
            }
            rules => rules.rule().map(CollisionSubject::Rule),
        };
        found.extend(subject);
    }
}

/// Whether both set the same thing to something else, so that the one that comes later undoes the other.
fn sets_same(one: &Patch, other: &Patch) -> bool {
    let sets = |clause: &&Clause| {
        matches!(
            clause,
            Clause::SetValue { .. }
                | Clause::SetTerm { .. }
                | Clause::SetPage { .. }
                | Clause::SetStatus { .. }
        )
    };
    let mut mine = one.clauses.iter().filter(sets);
    mine.any(|mine| {
        let mut theirs = other.clauses.iter().filter(sets);
        theirs.any(|theirs| is_about(mine) == is_about(theirs) && mine != theirs)
    })
}

fn is_about(clause: &Clause) -> Option<CollisionSubject<'_>> {
    let mut found = BTreeSet::new();
    gather(std::slice::from_ref(clause), &mut found);
    found.into_iter().next()
}
