//! Pages that the law declares, and pages that people keep.

use askama::Template;

use super::{Chrome, Fact, Link};
use crate::{
    markup::Markup,
    parts::{Board, Form, Table},
};

/// What a block shows.
#[derive(Clone, Debug)]
pub enum BlockKind {
    /// Text that somebody wrote.
    Prose(Markup),
    /// Lines, each with an optional link.
    List(Vec<(String, Option<Link>)>),
    /// Values of several things.
    Table(Table),
    /// Values of one thing.
    Sheet(Vec<Fact>),
    /// A grid.
    Board(Board),
}

/// A part of such a page.
#[derive(Clone, Debug)]
pub struct Block {
    /// The element's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// "12 of 40".
    pub note: String,
    /// What it shows.
    pub kind: BlockKind,
}

/// A page that the law declares, or that people keep.
#[derive(Clone, Debug, Template)]
#[template(path = "law_page.html")]
pub struct LawPage {
    /// Around it.
    pub chrome: Chrome,
    /// Its title.
    pub title: String,
    /// The rule it rests on, or who changed it last.
    pub about: String,
    /// Its parts.
    pub blocks: Vec<Block>,
    /// Its versions.
    pub history: Option<Link>,
    /// The edit, where the reader may make it.
    pub edit: Option<Form>,
}
