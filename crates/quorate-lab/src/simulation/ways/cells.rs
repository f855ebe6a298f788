//! The table of ways: its rows, its columns and its cells.

use std::collections::{BTreeMap, BTreeSet};

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangedKind {
    /// What a player is called.
    Name,
    /// Membership, and the values of players that the core rules declare: offices, idleness.
    Role,
    /// The status of a matter.
    Status,
    /// A rule's text, title or place.
    Rule,
    /// A word of the theme.
    Term,
    /// A value that the dynasty tracks.
    Value,
    /// A thing of the dynasty.
    Thing,
    /// A post or a comment.
    Post,
    /// A page.
    Page,
    /// A dynasty begins or gets another leader.
    Dynasty,
    /// Victory and all else that the core rules track of the game.
    Victory,
}

impl ChangedKind {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 11] = [
        Self::Name,
        Self::Role,
        Self::Status,
        Self::Rule,
        Self::Term,
        Self::Value,
        Self::Thing,
        Self::Post,
        Self::Page,
        Self::Dynasty,
        Self::Victory,
    ];

    /// As the table has it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Role => "a role",
            Self::Status => "a status",
            Self::Rule => "a rule",
            Self::Term => "a term",
            Self::Value => "a value",
            Self::Thing => "a thing",
            Self::Post => "a post",
            Self::Page => "a page",
            Self::Dynasty => "a dynasty",
            Self::Victory => "a victory",
        }
    }
}

/// How it is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeWay {
    /// By an action that a rule declares.
    Act,
    /// By an act that every game has: a post, a comment, asking to join.
    BuiltIn,
    /// By a rule alone, at its time.
    Itself,
    /// By hand.
    Claim,
    /// By a proposal.
    Proposal,
    /// By the code of a proposal.
    Script,
    /// By taking back what was done.
    Undo,
    /// By a ruling on what was done.
    Ruling,
    /// By those who run the server.
    Repair,
}

impl ChangeWay {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Act,
        Self::BuiltIn,
        Self::Itself,
        Self::Claim,
        Self::Proposal,
        Self::Script,
        Self::Undo,
        Self::Ruling,
        Self::Repair,
    ];

    /// As the table has it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::BuiltIn => "built-in act",
            Self::Itself => "by itself",
            Self::Claim => "claim",
            Self::Proposal => "proposal",
            Self::Script => "script",
            Self::Undo => "undo",
            Self::Ruling => "ruling",
            Self::Repair => "repair",
        }
    }
}

/// One cell of the table: who may change it so, each with the clauses that let them; and the clauses that refuse it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WayCell {
    /// Who may, and by which clauses.
    pub open: BTreeMap<String, BTreeSet<String>>,
    /// By which clauses nobody may.
    pub refused: BTreeSet<String>,
}

/// The table of a rulebook.
pub type WaysTable = BTreeMap<(ChangedKind, ChangeWay), WayCell>;

/// What everybody is called in the table who is on the roster.
pub(super) const ANYBODY: &str = "players";
