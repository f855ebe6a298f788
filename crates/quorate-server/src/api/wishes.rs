//! What commands ask for: the bodies of requests, and the arguments of built-in acts.

use std::collections::BTreeMap;

use quorate_engine::changes::Change;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

/// A command.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wish {
    /// The action: one that the law declares, or a built-in act.
    pub action: String,
    /// What it asks for, by name. Things are given by address (`player:3`) or by what they are called.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub arguments: Map<String, Json>,
}

/// A post to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPost {
    /// Its category, by code name or title; empty for a post in none.
    #[serde(default)]
    pub category: String,
    /// Its title.
    pub title: String,
    /// Its text, in Markdown.
    #[serde(default)]
    pub body: String,
    /// Flavour text beside it, which means nothing to any rule.
    #[serde(default)]
    pub flavour: String,
    /// The category's own fields, by code name.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub fields: Map<String, Json>,
    /// The changes that it carries.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// Another text for a post. What is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditedPost {
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub body: Option<String>,
    /// Its flavour text.
    pub flavour: Option<String>,
    /// The changes that it carries.
    pub changes: Option<Vec<Change>>,
}

/// A comment to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewComment {
    /// Its text, in Markdown; icons may stand in it as `:for:`.
    #[serde(default)]
    pub text: String,
    /// The icon to vote with, which then stands before the text.
    #[serde(default)]
    pub vote: Option<String>,
}

/// A private message to be sent.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    /// To whom: addresses or names.
    pub to: Vec<String>,
    /// Its text.
    pub text: String,
}

/// Somebody asks to join.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Application {
    /// Your name in the game; that of your account, if none is given.
    #[serde(default)]
    pub name: Option<String>,
    /// A word to the others.
    #[serde(default)]
    pub text: String,
}

/// An answer to a question.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// Which question, as moves list it; not needed where only one waits.
    #[serde(default)]
    pub question: Option<String>,
    /// The answer: an option's value, or what it is called; nothing where that may be answered.
    #[serde(default)]
    pub value: Json,
}

/// A line of words and dice: `DICE6`, `3DICE6`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiceLine {
    /// The line.
    pub line: String,
}

/// A change by hand.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByHand {
    pub rule: String,
    pub reason: String,
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// A repair.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mending {
    pub reason: String,
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// A claim is disputed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Objection {
    pub claim: String,
    #[serde(default)]
    pub reason: String,
}

/// What a value that moved on since is set to by an undo.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Pick {
    Back,
    Now,
}

/// An event is undone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Undoing {
    pub event: u64,
    #[serde(default)]
    pub reason: String,
    /// By address and code name: `player:3 gold`.
    #[serde(default)]
    pub picks: BTreeMap<String, Pick>,
}

/// A clause that sleeps is woken.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waking {
    pub rule: String,
    pub fence: u32,
}

/// An action of one's own that waits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    pub action: String,
}

/// A word to the others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Word {
    #[serde(default)]
    pub text: String,
}

/// Another category for a post.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sorted {
    pub category: String,
}

/// Nothing at all.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}
