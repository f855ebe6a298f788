//! The kinds of changes that a form offers beside rules, code and prose.

use Doing::{
    AddToValue, CreateThing, MoveRule, RemovePlayer, RemoveThing, RenamePlayer, SetPage, SetStatus,
    SetTerm, SetValue, Strike, SwitchRule, TakeRule,
};

/// What the choice of a change sends for one of these, before its word.
pub(crate) const PREFIX: &str = "other:";

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// A value is set.
    SetValue,
    /// A number is changed by so much.
    AddToValue,
    /// Something new comes into the game.
    CreateThing,
    /// Something leaves the game.
    RemoveThing,
    /// A word of the theme changes.
    SetTerm,
    /// A post gets another status.
    SetStatus,
    /// A page gets another text.
    SetPage,
    /// A player gets another name.
    RenamePlayer,
    /// A player leaves the roster.
    RemovePlayer,
    /// A rule is switched on or off.
    SwitchRule,
    /// A rule moves to another section.
    MoveRule,
    /// Events are struck from the history, or upheld.
    Strike,
    /// A rule of the catalogue becomes a new one here. It is no change yet: once picked, it is edited as any new rule.
    TakeRule,
    /// A change that a post already carries and that no fields show: it can be kept or dropped.
    Kept,
}

/// What can be chosen: the word of it as it is sent and as the API has it, and what people call it.
pub(crate) const OFFERED: [(Doing, &str, &str); 12] = [
    (SetValue, "set_value", "Set a value"),
    (AddToValue, "add_to_value", "Add to a number, or take away"),
    (
        CreateThing,
        "create_thing",
        "Bring something new into the game",
    ),
    (
        RemoveThing,
        "remove_thing",
        "Take something out of the game",
    ),
    (SetTerm, "set_term", "Change a word of the theme"),
    (SetStatus, "set_status", "Change the status of a post"),
    (SetPage, "set_page", "Write a page"),
    (RenamePlayer, "rename_player", "Rename a player"),
    (RemovePlayer, "remove_player", "Remove a player"),
    (SwitchRule, "switch_rule", "Switch a rule on or off"),
    (MoveRule, "move_rule", "Move a rule to another section"),
    (Strike, "strike", "Rule on what happened: pick events"),
];

/// The word of a rule that is taken from the catalogue, and what people call it.
pub(crate) const TAKEN: (&str, &str) = ("take_rule", "Take a rule from the catalogue");

impl Doing {
    /// The change of a word.
    pub(crate) fn of(word: &str) -> Option<Self> {
        if word == TAKEN.0 {
            return Some(TakeRule);
        }
        let found = OFFERED.iter().find(|(_, known, _)| *known == word);
        found.map(|(doing, ..)| *doing)
    }

    /// Its word, as it is sent and as the API has it.
    pub(crate) fn word(self) -> &'static str {
        let found = OFFERED.iter().find(|(known, ..)| *known == self);
        let other = if self == TakeRule { TAKEN.0 } else { "kept" };
        found.map_or(other, |(_, word, _)| word)
    }

    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        let found = OFFERED.iter().find(|(known, ..)| *known == self);
        let other = if self == TakeRule {
            TAKEN.1
        } else {
            "Another change"
        };
        found.map_or(other, |(.., title)| title)
    }
}
