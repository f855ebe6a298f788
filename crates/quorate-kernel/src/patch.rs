//! Patches: the changes that a proposal, a call for judgement or an ascension address carries.

use std::sync::Arc;

use crate::digest::Digest;
use crate::ids::{EventSeq, PostId};
use crate::name::Name;
use crate::seal::Content;
use crate::value::{Thing, Value};

/// A list of changes, in the order in which they are made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Patch {
    /// The changes.
    pub clauses: Vec<Clause>,
}

/// One change. Each goes in whole or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the line of a variant names its fields")]
pub enum Clause {
    /// A new rule; at the end of its section, or right after another.
    AddRule {
        id: Name,
        section: Name,
        parent: Option<Name>,
        after: Option<Name>,
        title: String,
        text: Arc<str>,
        tags: Vec<Name>,
    },
    /// Another text for a rule; `base` is the text it was written against.
    AmendRule {
        id: Name,
        base: Arc<str>,
        text: Arc<str>,
    },
    /// Another title for a rule.
    RenameRule { id: Name, title: String },
    /// Another place for a rule and what is under it.
    MoveRule {
        id: Name,
        section: Name,
        parent: Option<Name>,
        after: Option<Name>,
    },
    /// A rule and what is under it leave the law.
    RepealRule { id: Name },
    /// A rule is switched on or off.
    SwitchRule { id: Name, on: bool },
    /// A tracked value is set.
    SetValue {
        thing: Thing,
        name: Name,
        value: Value,
    },
    /// A tracked number is changed by so much.
    AddToValue {
        thing: Thing,
        name: Name,
        amount: i64,
    },
    /// A new thing.
    CreateThing {
        kind: Name,
        values: Vec<(Name, Value)>,
    },
    /// A thing leaves the game.
    RemoveThing { thing: Thing },
    /// Another word for a term.
    SetTerm {
        name: Name,
        one: String,
        many: String,
    },
    /// A player's name.
    RenamePlayer { thing: Thing, name: String },
    /// A player leaves the roster, barred from coming back or not.
    RemovePlayer { thing: Thing, bar: bool },
    /// The text of a page of the game.
    SetPage { name: Name, text: String },
    /// A post's status.
    SetStatus { post: PostId, status: Name },
    /// Events are struck from the history (or upheld): what follows is judged again without (or with) them.
    Strike {
        events: Vec<EventSeq>,
        uphold: Vec<EventSeq>,
    },
    /// Code that runs once, under the law that this patch makes.
    Script { code: Arc<str> },
    /// What only people can do: ticked off by the one who closes the matter.
    Prose { text: String },
    /// Changes made only where a question about the comments or the state is answered with yes.
    When {
        test: Arc<str>,
        clauses: Vec<Clause>,
    },
    /// The game is judged under another edition of the library from here on; in a repair alone.
    ChangeEdition { edition: u16 },
}

impl Patch {
    /// The same without seals in its values, so that it can be sealed itself.
    #[must_use]
    pub fn unsealed(&self) -> Self {
        Self {
            clauses: self.clauses.iter().map(Clause::unsealed).collect(),
        }
    }

    /// The digest that votes are tied to.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_bytes())
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }
}

impl Clause {
    fn unsealed(&self) -> Self {
        match self {
            Self::SetValue { thing, name, value } => Self::SetValue {
                thing: thing.clone(),
                name: name.clone(),
                value: value.unsealed(),
            },
            Self::CreateThing { kind, values } => Self::CreateThing {
                kind: kind.clone(),
                values: values
                    .iter()
                    .map(|(name, value)| (name.clone(), value.unsealed()))
                    .collect(),
            },
            Self::When { test, clauses } => Self::When {
                test: Arc::clone(test),
                clauses: clauses.iter().map(Self::unsealed).collect(),
            },
            other => other.clone(),
        }
    }

    /// The rule that the clause is about.
    pub fn rule(&self) -> Option<&Name> {
        match self {
            Self::AddRule { id, .. }
            | Self::AmendRule { id, .. }
            | Self::RenameRule { id, .. }
            | Self::MoveRule { id, .. }
            | Self::RepealRule { id }
            | Self::SwitchRule { id, .. } => Some(id),
            _ => None,
        }
    }

    /// A word for the kind of change, as rule code reads it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::AddRule { .. } => "rule added",
            Self::AmendRule { .. } => "rule amended",
            Self::RenameRule { .. } => "rule renamed",
            Self::MoveRule { .. } => "rule moved",
            Self::RepealRule { .. } => "rule repealed",
            Self::SwitchRule { .. } => "rule switched",
            Self::SetValue { .. } | Self::AddToValue { .. } => "value set",
            Self::CreateThing { .. } => "thing created",
            Self::RemoveThing { .. } => "thing removed",
            Self::SetTerm { .. } => "term set",
            Self::RenamePlayer { .. } => "player renamed",
            Self::RemovePlayer { .. } => "player removed",
            Self::SetPage { .. } => "page set",
            Self::SetStatus { .. } => "status set",
            Self::Strike { .. } => "ruling",
            Self::Script { .. } => "script",
            Self::Prose { .. } => "prose",
            Self::When { .. } => "conditional",
            Self::ChangeEdition { .. } => "edition",
        }
    }
}
