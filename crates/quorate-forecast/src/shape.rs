//! How the data reads as JSON: ids and moments as in addresses, values plain, a refusal with its sentence.

#![allow(clippy::ref_option, reason = "serde hands a field over as it stands")]

use std::collections::BTreeMap;
use std::fmt::Display;

use quorate_engine::{changes, convert};
use quorate_kernel::law::Term;
use quorate_kernel::refusal::Need;
use quorate_kernel::{Moment, Refusal, Value};
use serde::{Serialize, Serializer};

/// An id or a moment as its text.
pub(crate) fn text<S: Serializer>(it: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(it)
}

/// An id or a span as its text, or nothing.
pub(crate) fn some_text<S: Serializer>(
    it: &Option<impl Display>,
    to: S,
) -> Result<S::Ok, S::Error> {
    it.as_ref().map(ToString::to_string).serialize(to)
}

/// A moment, or nothing.
pub(crate) fn moment<S: Serializer>(it: &Option<Moment>, to: S) -> Result<S::Ok, S::Error> {
    it.map(|at| at.to_string()).serialize(to)
}

/// A value as in arguments of actions, or nothing.
pub(crate) fn value<S: Serializer>(it: &Option<Value>, to: S) -> Result<S::Ok, S::Error> {
    let json = it
        .as_ref()
        .map(|value| changes::json(&convert::datum(value)));
    json.serialize(to)
}

/// A word of the theme, for one and for several, or nothing.
pub(crate) fn term<S: Serializer>(it: &Option<Term>, to: S) -> Result<S::Ok, S::Error> {
    let words = it
        .as_ref()
        .map(|term| [("one", &term.one), ("many", &term.many)]);
    words.map(BTreeMap::from).serialize(to)
}

/// A refusal.
pub(crate) fn refusal<S: Serializer>(it: &Refusal, to: S) -> Result<S::Ok, S::Error> {
    RefusalShape::of(it).serialize(to)
}

/// A refusal, or nothing.
pub(crate) fn some_refusal<S: Serializer>(it: &Option<Refusal>, to: S) -> Result<S::Ok, S::Error> {
    it.as_ref().map(RefusalShape::of).serialize(to)
}

/// Refusals.
pub(crate) fn refusals<S: Serializer>(all: &[Refusal], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(RefusalShape::of))
}

/// A refusal with its moment as a text, and all of it in a sentence.
#[derive(Serialize)]
struct RefusalShape<'a> {
    rule: &'a str,
    rule_id: &'a str,
    clause: u32,
    against: Option<&'a str>,
    needs: Vec<NeedShape<'a>>,
    next_at: Option<String>,
    sentence: String,
}

/// One thing that would have to hold.
#[derive(Serialize)]
struct NeedShape<'a> {
    what: &'a str,
    have: &'a str,
    need: &'a str,
}

impl<'a> NeedShape<'a> {
    fn of(need: &'a Need) -> Self {
        Self {
            what: &need.what,
            have: &need.have,
            need: &need.need,
        }
    }
}

impl<'a> RefusalShape<'a> {
    fn of(refusal: &'a Refusal) -> Self {
        Self {
            rule: &refusal.rule,
            rule_id: refusal.rule_id.as_str(),
            clause: refusal.clause,
            against: refusal.against.as_ref().map(quorate_kernel::Name::as_str),
            needs: refusal.needs.iter().map(NeedShape::of).collect(),
            next_at: refusal.next_at.map(|at| at.to_string()),
            sentence: refusal.to_string(),
        }
    }
}
