//! One thing that a patch changes, with ids, old and new. It is what a forecast consists of, and what its odds are counted over.

use std::mem::{Discriminant, discriminant};

use quorate_kernel::law::Term;
use quorate_kernel::{Moment, Name, Thing, Value};
use serde::Serialize;

use crate::shape;

/// A thing, and what it is called.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Called {
    /// Its address: `player:3`, `post:9`, `game`.
    #[serde(serialize_with = "shape::text")]
    pub thing: Thing,
    /// Its name or title.
    pub called: String,
}

/// An action of the law.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ActionTitle {
    /// Its code name.
    pub action: Name,
    /// As people read it.
    pub title: String,
}

/// A name that a clause asks for and nobody would provide.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LostName {
    /// The clause.
    pub clause: u32,
    /// The name, as code has it.
    pub name: String,
    /// The title of the rule that has it.
    pub of: String,
}

/// One thing that a patch changes.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Consequence {
    /// A change that could not be made as it was written, or code of a rule that broke.
    LeftOut {
        /// The rule that says so; empty where the engine does.
        rule: Name,
        /// Why, in the engine's words.
        why: String,
    },
    /// Code that would not check.
    CodeSleeps {
        /// Its rule.
        rule: Name,
        /// The rule's title.
        title: String,
        /// Its clause.
        clause: u32,
        /// The first finding, with its line of code.
        finding: String,
        /// How many more findings there are in this rule.
        more: usize,
    },
    /// A rule that asks for what would be gone with another.
    Loses {
        /// The rule.
        rule: Name,
        /// Its title.
        title: String,
        /// What its clauses ask for and break at, where they come to it.
        lost: Vec<LostName>,
        /// What they ask for and can do without, for it lives on as a definition, or they say what to take instead.
        kept: Vec<LostName>,
        /// Its actions that can come to something lost.
        actions: Vec<ActionTitle>,
    },
    /// A line of a rule that nobody wrote, for the rule was changed since the post was written.
    Merged {
        /// The rule.
        rule: Name,
        /// Its title.
        title: String,
        /// The line.
        line: String,
    },
    /// Code that checks and breaks when it is tried.
    Breaks {
        /// Its rule.
        rule: Name,
        /// The rule's title.
        title: String,
        /// Its clause.
        clause: u32,
        /// What was tried, and what went wrong.
        why: String,
    },
    /// Something of the law that nobody takes as an action: it comes, or goes.
    Machinery {
        /// What it is.
        sort: Machinery,
        /// Its rule.
        rule: Name,
        /// It in words.
        is: String,
        /// Whether it comes.
        comes: bool,
        /// Whether it enacts what posts carry, and so can change the rules.
        changes_rules: bool,
    },
    /// Somebody wins or leads at once, or the game pauses.
    Headline {
        /// Which.
        about: Headline,
        /// The theme's word for it.
        word: String,
        /// Who, or how long.
        is: String,
    },
    /// A rule.
    Rule {
        /// Its code name.
        rule: Name,
        /// Its title, which is the next one where it gets another.
        title: String,
        /// What becomes of it.
        becomes: RuleFate,
    },
    /// A word of the theme.
    Term {
        /// Its token.
        name: Name,
        /// The words for one and for several.
        #[serde(serialize_with = "shape::term")]
        old: Option<Term>,
        /// The next ones.
        #[serde(serialize_with = "shape::term")]
        new: Option<Term>,
    },
    /// A page of the game.
    Page {
        /// Its name.
        name: Name,
        /// What becomes of it.
        becomes: PageFate,
    },
    /// A player under another name, or who leaves the roster.
    Player {
        /// Who, under the name of today.
        player: Called,
        /// Their next name; nothing where they leave.
        renamed: Option<String>,
    },
    /// A value that the law would newly keep or compute, or no longer know.
    Declared {
        /// The code name of the kind of things that have it.
        kind: Name,
        /// The theme's word for one of them.
        of: String,
        /// The value's code name.
        name: Name,
        /// Its title.
        title: String,
        /// Of one that goes, how many things hold something in it, which is put by; nothing of a new one.
        dropped: Option<usize>,
    },
    /// A thing that comes or goes.
    Thing {
        /// Which.
        thing: Called,
        /// The code name of its kind.
        kind: Name,
        /// The theme's word for one of them.
        of: String,
        /// Whether it comes.
        comes: bool,
    },
    /// A tracked value that ends otherwise than it began.
    Value {
        /// Whose.
        of: Called,
        /// The value's code name.
        name: Name,
        /// Its title.
        title: String,
        /// What it held; nothing where it was not set.
        #[serde(serialize_with = "shape::value")]
        old: Option<Value>,
        /// What it would hold.
        #[serde(serialize_with = "shape::value")]
        new: Option<Value>,
    },
    /// More values change than are listed.
    MoreValues {
        /// How many.
        count: usize,
    },
    /// Actions that come or go with the law.
    Actions {
        /// Which.
        actions: Vec<ActionTitle>,
        /// Whether they come.
        comes: bool,
    },
    /// Something that the law does by itself at a moment.
    Clock {
        /// Its code name.
        name: Name,
        /// To what it happens.
        of: Called,
        /// When it would have happened next; nothing where it starts now.
        #[serde(serialize_with = "shape::moment")]
        old: Option<Moment>,
        /// When it happens next; nothing where it stops.
        #[serde(serialize_with = "shape::moment")]
        new: Option<Moment>,
    },
    /// A post of another status.
    Post {
        /// Which.
        post: Called,
        /// Its status.
        old: Name,
        /// Its next one.
        new: Name,
    },
}

/// What many rulesets call by one name, and what everybody should know of before voting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Headline {
    /// Who has won.
    Winner,
    /// Who leads.
    Leader,
    /// Whether the game pauses.
    Pause,
}

/// Parts of a law that work by themselves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Machinery {
    /// A kind of posts.
    Category,
    /// A prohibition.
    Forbids,
    /// A permission.
    Permits,
    /// Code that runs after something.
    Hook,
    /// Something that happens by itself.
    Automatic,
    /// An action that enacts what posts carry.
    Enacts,
}

/// What becomes of a rule; the texts are titles.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleFate {
    /// It comes into this section.
    Added(String),
    /// It goes.
    Repealed,
    /// It was called so.
    Renamed(String),
    /// It gets another text.
    Amended,
    /// It is switched on, or off.
    Switched(bool),
    /// It moves to this section.
    Moved(String),
}

/// What becomes of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PageFate {
    /// There was none.
    Written,
    /// It says something else.
    Rewritten,
    /// It is gone.
    Removed,
}

/// What a consequence is about: the kind of consequence, and the thing and the name that it has. Facts of one subject in different throws
/// of dice are outcomes of one thing.
pub(crate) type Subject<'a> = (
    Discriminant<Consequence>,
    Option<&'a Thing>,
    Option<&'a Name>,
);

impl Consequence {
    /// What it is about.
    pub(crate) fn subject(&self) -> Subject<'_> {
        let (thing, name) = match self {
            Self::CodeSleeps { rule, .. }
            | Self::Loses { rule, .. }
            | Self::Breaks { rule, .. } => (None, Some(rule)),
            Self::Term { name, .. } | Self::Page { name, .. } => (None, Some(name)),
            Self::Value { of, name, .. } => (Some(&of.thing), Some(name)),
            Self::Post { post, .. } => (Some(&post.thing), None),
            _ => (None, None),
        };
        (discriminant(self), thing, name)
    }

    /// Whether everybody should see it before voting.
    pub fn is_alarm(&self) -> bool {
        if let Self::Loses { lost, .. } = self {
            return !lost.is_empty();
        }
        matches!(
            self,
            Self::LeftOut { .. }
                | Self::CodeSleeps { .. }
                | Self::Merged { .. }
                | Self::Breaks { .. }
                | Self::Headline { .. }
                | Self::Machinery {
                    changes_rules: true,
                    ..
                }
        )
    }
}
