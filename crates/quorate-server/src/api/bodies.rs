//! The bodies of requests that stand for one act, as the description of the API shows them. They are read where all
//! commands are: see [`quorate_engine::request`].

#![allow(dead_code, reason = "what is read elsewhere is only described here")]

use quorate_engine::changes::Change;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use utoipa::ToSchema;

/// A post to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewPost)]
pub(crate) struct PostBody {
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

/// A comment to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewComment)]
pub(crate) struct CommentBody {
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
#[schema(as = NewMessage)]
pub(crate) struct MessageBody {
    /// To whom: addresses or names.
    pub to: Vec<String>,
    /// Its text.
    pub text: String,
}

/// Somebody asks to join.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Application)]
pub(crate) struct ApplicationBody {
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
#[schema(as = Reply)]
pub(crate) struct AnswerBody {
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
#[schema(as = DiceLine)]
pub(crate) struct DiceBody {
    /// The line.
    pub line: String,
}
