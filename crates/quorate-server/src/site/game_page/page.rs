//! Pages that the law declares, and pages that people keep.

use askama::Template;

use crate::ui::markup::Markup;
use crate::ui::{Bar, Board, Chrome, Fact, Form, Link, Person, Table, writes_html};

/// Somebody or something in a place.
#[derive(Clone, Debug)]
pub struct There {
    /// Who or what; nobody where only what is told of it counts, such as the items on a heap.
    pub who: Option<Person>,
    /// What is told of it: "10/10 HP", "two daggers".
    pub notes: Vec<(String, Option<Bar>)>,
    /// What belongs to it: the monsters of an encounter.
    pub with: Vec<There>,
}

/// A place with whoever and whatever is there.
#[derive(Clone, Debug)]
pub struct BoardPlace {
    /// Its title: "Dank Cave", "Level 3".
    pub title: String,
    /// Whether the reader is there.
    pub is_here: bool,
    /// Its own values, shares with their bars.
    pub facts: Vec<(String, String, Option<Bar>)>,
    /// By kind: its word, and those of it that are there.
    pub there: Vec<(String, Vec<There>)>,
}

/// Somebody in a tree, above those who hold to them.
#[derive(Clone, Debug, Template)]
#[template(path = "site/game_page/branch.html")]
pub struct Branch {
    /// Who.
    pub who: Person,
    /// "holds to Wilma in turn", where the tree had to be cut.
    pub note: String,
    /// Those below.
    pub below: Vec<Branch>,
}

writes_html!(Branch);

/// What a block shows.
#[derive(Clone, Debug)]
pub enum PageBlockKind {
    /// Text that somebody wrote.
    Prose(Markup),
    /// Lines, each with an optional link.
    List(Vec<(String, Option<Link>)>),
    /// Posts, each with when it was written and what is tracked of it.
    Posts(Vec<(Link, String, Vec<Fact>)>),
    /// Values of several things.
    Table(Table),
    /// Values of one thing.
    Sheet(Vec<Fact>),
    /// A grid.
    Board(Board),
    /// Places, each with what is there.
    Places(Vec<BoardPlace>),
    /// Who holds to whom.
    Tree(Vec<Branch>),
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
    pub kind: PageBlockKind,
    /// Whether it stands folded, because what it holds is drawn above already.
    pub is_folded: bool,
}

impl Block {
    /// Whether it is a list of short words, which stand several in a row.
    fn is_short(&self) -> bool {
        matches!(&self.kind, PageBlockKind::List(lines)
            if lines.iter().all(|(text, link)| link.is_none() && text.chars().count() < 30))
    }
}

/// A page that the law declares, or that people keep.
#[derive(Clone, Debug, Template)]
#[template(path = "site/game_page/game_page.html")]
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
