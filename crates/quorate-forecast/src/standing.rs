//! How a matter stands at a moment: what closes it, and what stands in the way. Asked on the game or on a copy of it.

use quorate_engine::judge::Judge;
use quorate_engine::tx::Tx;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Thing};
use quorate_law::datum::Datum;
use serde::Serialize;

use crate::fork::Fork;
use crate::matters::{closings_of, tried_on, votes};
use crate::shape;

/// An action that closes a matter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Closing {
    /// Its code name.
    pub action: Name,
    /// As people read it.
    pub title: String,
    /// Whether it fails the matter, by its code name: `fail`, `fail-proposal`.
    pub fails: bool,
}

/// A closing that is not possible.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShutClosing {
    /// Which.
    pub closing: Closing,
    /// What stands in its way.
    #[serde(serialize_with = "shape::refusal")]
    pub refusal: Refusal,
}

/// How a matter stands: all that a vote or time may flip.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MatterStanding {
    /// "popular" or "unpopular", where the law knows these words.
    pub leaning: Option<String>,
    /// The closings that are possible.
    pub open: Vec<Closing>,
    /// The others.
    pub shut: Vec<ShutClosing>,
    /// Votes FOR by the law's count.
    pub in_favour: Option<i64>,
    /// How many of them are enough.
    pub enough: Option<i64>,
}

/// By whom and by what it is asked how a matter stands.
pub(crate) struct StandingQuery<'a> {
    /// Somebody who closes matters.
    pub(crate) closer: Option<PlayerId>,
    /// The office that most closings of a kind of post are for. What somebody else may do on top of that is nobody's next step.
    pub(crate) role: Option<&'a Name>,
    /// The function of the law that says how many votes are enough.
    pub(crate) enough: Option<&'a Name>,
}

impl MatterStanding {
    /// How a matter stands on a copy at a moment, and the first later moment at which time alone may change that.
    pub(crate) fn at(
        fork: &Fork<'_>,
        judge: &Judge,
        at: Moment,
        id: PostId,
        query: &StandingQuery<'_>,
    ) -> (Self, Option<Moment>) {
        let (standing, until) = judge.query(at, |tx| {
            let (standing, reads) = tx.reading(|| Self::asked(fork, judge, tx, id, query));
            (standing, reads.until)
        });
        (standing, until.filter(|until| *until > at))
    }

    fn asked(
        fork: &Fork<'_>,
        judge: &Judge,
        tx: &Tx,
        id: PostId,
        query: &StandingQuery<'_>,
    ) -> Self {
        let (mut open, mut shut) = (Vec::new(), Vec::new());
        let category = judge.state().posts.get(&id).map(|post| &post.category);
        if let Some((closer, category)) = query.closer.zip(category) {
            let closings = closings_of(judge.law(), category).into_iter();
            for decl in closings.filter(|decl| decl.it.by.as_ref() == query.role) {
                let action = &decl.it.name;
                let closing = Closing {
                    action: action.clone(),
                    title: fork.themed(&decl.it.title),
                    fails: *action == "fail" || action.as_str().starts_with("fail-"),
                };
                match tried_on(tx, closer, decl, id) {
                    Ok(()) => open.push(closing),
                    Err(refusal) => shut.push(ShutClosing { closing, refusal }),
                }
            }
        }
        Self {
            leaning: leaning(tx, id),
            open,
            shut,
            in_favour: votes(tx, id, "for"),
            enough: query.enough.and_then(|function| enough(tx, function)),
        }
    }

    /// Whether the votes FOR are enough.
    #[must_use]
    pub fn has_enough(&self) -> bool {
        let both = self.in_favour.zip(self.enough);
        both.is_some_and(|(in_favour, enough)| in_favour >= enough)
    }

    /// The titles of the closings that are possible.
    #[must_use]
    pub fn titles(&self) -> Vec<String> {
        self.open.iter().map(|way| way.title.clone()).collect()
    }

    /// Whether nothing that players care for is otherwise.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        self.leaning == other.leaning
            && self.open == other.open
            && self.has_enough() == other.has_enough()
    }

    /// The first moment after another at which the law may answer otherwise: one that it says itself, or one up to which what it
    /// was asked holds.
    pub(crate) fn next(&self, until: Option<Moment>, after: Moment) -> Option<Moment> {
        let said = self.shut.iter().filter_map(|shut| shut.refusal.next_at);
        said.chain(until).filter(|at| *at > after).min()
    }

    /// The first closing that would carry the matter and is not possible: whatever does not fail it.
    #[must_use]
    pub fn carrying(&self) -> Option<&ShutClosing> {
        self.shut.iter().find(|shut| !shut.closing.fails)
    }
}

/// Whether a matter is popular or unpopular, where the law knows these words.
pub fn leaning(tx: &Tx, id: PostId) -> Option<String> {
    let known = ["popular", "unpopular"];
    if !known
        .iter()
        .all(|word| tx.law.code.signature(word).is_some())
    {
        return None;
    }
    let word = known.into_iter().find(|word| {
        let matter = vec![Datum::Thing(Thing::Post(id))];
        tx.call(&Name::from(*word), matter).ok() == Some(Datum::Bool(true))
    });
    Some(word.unwrap_or("neither popular nor unpopular").to_owned())
}

fn enough(tx: &Tx, function: &Name) -> Option<i64> {
    tx.law.code.signature(function.as_str())?;
    match tx.call(function, vec![]) {
        Ok(Datum::Int(enough)) => Some(enough),
        _ => None,
    }
}
