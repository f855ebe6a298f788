//! A post among what is pending: after all that is ahead of it, what it would do to the rest, and with which it collides.

use std::collections::BTreeSet;

use quorate_engine::judge::Judge;
use quorate_kernel::event::Note;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::Post;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PostId, Refusal, Thing};
use serde::Serialize;

use crate::consequence::Called;
use crate::enactment::Proposed;
use crate::fork::{Fork, strikes};
use crate::trial::{PatchTrial, left_out_words};
use crate::{matters, shape};

/// What is otherwise for a patch in the queue than alone, and what it does to what is pending.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Queue {
    /// What is different where everything ahead is enacted first; nothing where nothing is ahead.
    pub ahead: Option<Ahead>,
    /// What is behind and would no longer do what it does today.
    pub broken: Vec<Breach>,
    /// What is pending and would stand otherwise.
    pub flips: Vec<Flip>,
    /// Whether not everything was tried, for the time was over.
    pub ended_early: bool,
}

/// What a patch does after those ahead of it, and not alone.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ahead {
    /// How many are ahead.
    pub count: usize,
    /// What would be in the way.
    pub problems: Vec<Why>,
}

/// What is in the way of a patch.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It could not be done at all.
    Refused(#[serde(serialize_with = "shape::refusal")] Refusal),
    /// A part of it would be left out, in the engine's words.
    LeftOut(String),
    /// Code would not check: the finding with its line.
    CodeSleeps(String),
    /// It would make a line of a rule that nobody wrote.
    Merged(String),
}

/// A post behind that would be broken.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Breach {
    /// Which.
    pub post: Called,
    /// By what.
    pub why: Why,
}

/// What could newly be done with a pending matter, or no longer, and how its votes would count.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Flip {
    /// Which.
    pub post: Called,
    /// The titles of the closings that become possible.
    pub opens: Vec<String>,
    /// The titles of the closings that are no longer possible.
    pub shuts: Vec<String>,
    /// The votes for and against, before and after, where they would count otherwise.
    pub votes: Option<[(i64, i64); 2]>,
}

/// Enacts a post before and after what else is pending, where `without` is a copy on which it was closed and changed nothing.
pub(crate) fn queue(
    fork: &Fork<'_>,
    proposed: &Proposed,
    without: &Judge,
    trial: &PatchTrial,
) -> Queue {
    let of = proposed.post();
    let pending = pending(fork);
    let place = of.and_then(|of| pending.iter().position(|(id, _)| *id == of));
    let (ahead, behind) = match place {
        Some(place) => (&pending[..place], &pending[place + 1..]),
        None => (&pending[..], &pending[..0]),
    };
    let mut queue = Queue {
        ahead: None,
        broken: Vec::new(),
        flips: Vec::new(),
        ended_early: false,
    };
    match after_those_ahead(fork, proposed, ahead, trial) {
        Ok(ahead) => queue.ahead = ahead,
        Err(TimeOver) => queue.ended_early = true,
    }
    for (id, _) in behind {
        if fork.is_over() {
            queue.ended_early = true;
            break;
        }
        queue.broken.extend(broken(fork, *id, without, trial));
    }
    for (id, _) in pending.iter().filter(|(id, _)| Some(*id) != of) {
        if fork.is_over() {
            queue.ended_early = true;
            break;
        }
        queue.flips.extend(flip(fork, *id, without, trial));
    }
    queue
}

/// The time of the forecast was over.
struct TimeOver;

/// What is pending and voted on, oldest first.
fn pending<'f>(fork: &'f Fork<'_>) -> Vec<(PostId, &'f Post)> {
    let (view, law) = (fork.view(), fork.judge.law());
    let is_matter = |post: &Post| {
        let known = law.categories.get(&post.category);
        known.is_some_and(|category| !category.it.icons.is_empty())
    };
    let posts = fork.judge.state().posts.iter();
    let posts = posts.filter(|(_, post)| view.post(post) && law.is_open(post) && is_matter(post));
    let mut posts: Vec<_> = posts.map(|(id, post)| (*id, post)).collect();
    posts.sort_by_key(|(id, post)| (post.open_at, *id));
    posts
}

fn after_those_ahead(
    fork: &Fork<'_>,
    proposed: &Proposed,
    ahead: &[(PostId, &Post)],
    alone: &PatchTrial,
) -> Result<Option<Ahead>, TimeOver> {
    // A ruling judges the log again, which on a copy ends before what is ahead.
    let patch = proposed.patch(&fork.judge);
    if patch.is_some_and(|patch| patch.clauses.iter().any(strikes)) {
        return Ok(None);
    }
    let mut judge = fork.judge.clone();
    let mut count = 0;
    for (id, post) in ahead {
        if fork.is_over() {
            return Err(TimeOver);
        }
        let carries = post.patch.as_ref().and_then(Sealed::plain);
        if carries.is_none_or(|patch| patch.clauses.iter().any(strikes)) {
            continue;
        }
        if let Ok(trial) = fork.try_on(&judge, &Proposed::Post(*id)) {
            judge = trial.judge;
            count += 1;
        }
    }
    Ok((count > 0).then(|| Ahead {
        count,
        problems: news(alone, fork.try_on(&judge, proposed)),
    }))
}

/// What is in the way of a patch on a copy that was not in its way alone.
fn news(alone: &PatchTrial, after: Result<PatchTrial, Refusal>) -> Vec<Why> {
    let after = match after {
        Err(refusal) => return vec![Why::Refused(refusal)],
        Ok(after) => after,
    };
    let known = |note: &Note| alone.left_out.iter().any(|known| known.text == note.text);
    let fresh = after.left_out.iter().filter(|note| !known(note));
    let slept = after
        .asleep
        .iter()
        .filter(|finding| !alone.asleep.contains(finding));
    let merged = after
        .merged
        .iter()
        .filter(|line| !alone.merged.contains(line));
    fresh
        .map(|note| Why::LeftOut(left_out_words(note)))
        .chain(slept.map(|finding| Why::CodeSleeps(finding.text.clone())))
        .chain(merged.map(|merged| Why::Merged(merged.line.clone())))
        .collect()
}

/// A post behind that would not do any more what it does today.
fn broken(fork: &Fork<'_>, id: PostId, without: &Judge, trial: &PatchTrial) -> Option<Breach> {
    let post = Proposed::Post(id);
    let alone = fork.try_on(without, &post).ok()?;
    let after = fork.try_on(&trial.judge, &post);
    let why = news(&alone, after).into_iter().next()?;
    Some(Breach {
        post: fork.called(&fork.judge, &Thing::Post(id)),
        why,
    })
}

/// What becomes of a pending matter: its closing, and its count.
fn flip(fork: &Fork<'_>, id: PostId, without: &Judge, trial: &PatchTrial) -> Option<Flip> {
    let here = without;
    let closer = fork
        .active()
        .into_iter()
        .find(|player| fork.has_flag(&Thing::Player(*player), "admin"));
    let closable = |judge: &Judge| -> Vec<String> {
        let titles = |by| fork.ask(judge, |tx| matters::closable(tx, judge.law(), by, id));
        let titles = closer.map(titles).unwrap_or_default();
        titles.into_iter().map(|title| fork.themed(title)).collect()
    };
    let (before, after) = (closable(here), closable(&trial.judge));
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these
            .iter()
            .filter(|title| !those.contains(title))
            .cloned()
            .collect()
    };
    let counts = count(fork, here, id).zip(count(fork, &trial.judge, id));
    let flip = Flip {
        post: fork.called(here, &Thing::Post(id)),
        opens: only(&after, &before),
        shuts: only(&before, &after),
        votes: counts
            .filter(|(old, new)| old != new)
            .map(|(old, new)| [old, new]),
    };
    let is_news = !flip.opens.is_empty() || !flip.shuts.is_empty() || flip.votes.is_some();
    is_news.then_some(flip)
}

/// The votes for and against; none where the law counts in secret.
fn count(fork: &Fork<'_>, judge: &Judge, id: PostId) -> Option<(i64, i64)> {
    let of_side = |side: &str| fork.ask(judge, |tx| matters::votes(tx, id, side));
    Some((of_side("for")?, of_side("against")?))
}

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
