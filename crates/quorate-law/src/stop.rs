//! Why a run of rule code ended before its end.

use quorate_kernel::{Moment, Name, Refusal};

use crate::datum::Datum;

/// What a function of the world, or a run of rule code, gives.
pub type Answer<T> = Result<T, Stop>;

/// Why a run ended before its end.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The rules say no.
    Refused(Box<Refusal>),
    /// The one who acts must choose first.
    Asks(Box<Question>),
    /// The rule is broken: an error in its code, or a limit that it ran into.
    Broken(Box<Fault>),
}

/// A choice that the one who acts has yet to make.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// What is asked, as the rule words it. Together with its count among equals, what an answer is matched by.
    pub what: String,
    /// What may be chosen.
    pub options: Vec<Datum>,
    /// Whether nothing may be chosen.
    pub may_decline: bool,
    /// When the default is taken, counted from the action's start.
    pub within: Option<quorate_kernel::Span>,
    /// What is taken then; nothing where the question may be declined and no default is given.
    pub default: Option<Datum>,
    /// The rule that asks.
    pub site: Site,
}

/// A place in the law.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Site {
    /// The rule's code name; a library text's name where `library` holds.
    pub rule: Name,
    /// The clause, counted from 1; 0 outside numbered clauses.
    pub clause: u32,
    /// The line of the rule's text, counted from 1.
    pub line: u32,
}

/// How a rule broke.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// Where, as far as it is known.
    pub site: Site,
    /// One sentence for the rule's author.
    pub text: String,
    /// What it is of.
    pub kind: FaultKind,
}

/// What a rule broke of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// What its code does.
    Code,
    /// A limit on steps, memory, depth or output.
    Limit,
    /// A name that went with its rule.
    Lost,
}

impl Stop {
    /// A fault without a known place; the runner adds the place.
    pub fn fault(text: impl Into<String>) -> Self {
        Self::Broken(Box::new(Fault {
            site: Site::default(),
            text: text.into(),
            kind: FaultKind::Code,
        }))
    }

    /// Code came to a name that went with its rule; the runner adds the place.
    pub fn lost(text: impl Into<String>) -> Self {
        Self::Broken(Box::new(Fault {
            site: Site::default(),
            text: text.into(),
            kind: FaultKind::Lost,
        }))
    }

    /// A limit that was hit; the runner adds the place.
    pub fn limit(text: impl Into<String>) -> Self {
        Self::Broken(Box::new(Fault {
            site: Site::default(),
            text: text.into(),
            kind: FaultKind::Limit,
        }))
    }

    /// A refusal with one need; the world fills in rule and clause from the site.
    pub fn refused(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }

    /// A refusal that rests on no rule but on how things are.
    pub fn no(what: impl Into<String>) -> Self {
        Self::refused(Refusal::plain(what))
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::refused(refusal)
    }
}

/// The moment from which an answer may be another; the earliest of several.
pub fn sooner(one: Option<Moment>, other: Option<Moment>) -> Option<Moment> {
    match (one, other) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
