//! Tables of values: the tracker, and the lists and sheets that a law declares.

use askama::Template;

use super::{Bar, History, Icon, Person, When, writes_html};
use crate::urls::Href;

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its title.
    pub title: String,
    /// Numbers stand right-aligned.
    pub is_number: bool,
    /// Who but the reader may not see it, in words: "only you see this".
    pub private: Option<String>,
    /// Where a click sorts by it.
    pub sort: Option<Href>,
    /// How the table is sorted by it now.
    pub sorted: Option<Sorted>,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorted {
    /// Least first.
    Up,
    /// Most first.
    Down,
}

impl Column {
    /// A column of words.
    pub fn words(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            is_number: false,
            private: None,
            sort: None,
            sorted: None,
        }
    }

    /// A column of numbers.
    pub fn numbers(title: impl Into<String>) -> Self {
        Self {
            is_number: true,
            ..Self::words(title)
        }
    }

    fn aria_sort(&self) -> &'static str {
        match self.sorted {
            Some(Sorted::Up) => r#" aria-sort="ascending""#,
            Some(Sorted::Down) => r#" aria-sort="descending""#,
            None => "",
        }
    }

    fn arrow(&self) -> &'static str {
        match self.sorted {
            Some(Sorted::Up) => " ▴",
            Some(Sorted::Down) => " ▾",
            None => "",
        }
    }
}

/// What is said about a value beside the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Recorded by hand, not yet settled.
    Claimed,
    /// Somebody says that it is wrong.
    Disputed,
}

impl Claim {
    pub(super) fn mark(self) -> super::Mark {
        let (icon, tone, word) = match self {
            Self::Claimed => (Icon::Claimed, super::Tone::Claimed, "claimed"),
            Self::Disputed => (Icon::Disputed, super::Tone::Disputed, "disputed"),
        };
        super::Mark {
            icon,
            tone: Some(tone),
            word: word.into(),
        }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Disputed => "disputed",
        }
    }
}

/// One value.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// As it is shown.
    pub text: String,
    /// Its history, or the thing it refers to.
    pub href: Option<Href>,
    /// The share that it is of a whole.
    pub bar: Option<Bar>,
    /// What is said about it.
    pub claim: Option<Claim>,
    /// Whether its history is open under the row.
    pub is_open: bool,
    /// The picture that it is, or that stands for it.
    pub picture: Option<Href>,
}

impl Cell {
    /// Whether its text is so long that it wraps.
    fn is_wordy(&self) -> bool {
        self.text.len() > WORDY
    }

    /// A value that leads nowhere.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// A value that leads to its history.
    pub fn to(text: impl Into<String>, href: impl Into<Href>) -> Self {
        Self {
            text: text.into(),
            href: Some(href.into()),
            ..Self::default()
        }
    }
}

/// One owner's values.
#[derive(Clone, Debug)]
pub struct Row {
    /// The element's id, for the live page.
    pub id: String,
    /// Whose they are.
    pub owner: Person,
    /// In the order of the columns.
    pub cells: Vec<Cell>,
    /// When one of them changed last.
    pub changed: Option<When>,
    /// The history of one of its values, opened under the row.
    pub history: Option<History>,
}

/// Values of several owners.
#[derive(Clone, Debug, Template)]
#[template(path = "parts/table.html")]
pub struct Table {
    /// The element's id.
    pub id: String,
    /// What the table is called where it is not seen.
    pub label: String,
    /// The head of the first column: the theme's word for players, an entity's kind.
    pub owner: Column,
    /// The other columns.
    pub columns: Vec<Column>,
    /// Players, or things.
    pub rows: Vec<Row>,
    /// Those who are tracked and are no players.
    pub pseudo: Vec<Row>,
    /// Whether each row tells when it changed.
    pub tells_change: bool,
}

/// A text of more letters than this wraps.
const WORDY: usize = 34;

/// A name of more letters than this leaves no room beside it on a phone.
const LONG_NAME: usize = 26;

impl Table {
    /// Whether it has long texts, so that a narrow window shows a card for each row.
    fn is_wordy(&self) -> bool {
        let is_long = |row: &Row| {
            let mut cells = row.cells.iter();
            row.owner.name.len() > LONG_NAME || cells.any(Cell::is_wordy)
        };
        self.columns.len() > 1 && self.rows.iter().any(is_long)
    }

    fn width(&self) -> usize {
        1 + self.columns.len() + usize::from(self.tells_change)
    }
}

writes_html!(Table);
