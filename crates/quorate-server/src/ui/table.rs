//! Tables of values: the tracker, and the lists and sheets that a law declares.

use askama::Template;

use crate::ui::bar::Bar;
use crate::ui::history::History;
use crate::ui::html::writes_html;
use crate::ui::mark::{ClaimMark, Icon};
use crate::ui::person::Person;
use crate::ui::time::When;
use crate::ui::urls::Href;

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
    pub claim: Option<ClaimMark>,
    /// Why the code that computes it breaks, where it does.
    pub broken: Option<String>,
    /// Whether its history is open under the row.
    pub is_open: bool,
    /// The picture that it is, or that stands for it.
    pub picture: Option<Href>,
    /// Whether it is new to the reader.
    pub is_fresh: bool,
}

impl Cell {
    /// Whether its text is so long that it wraps.
    fn is_wordy(&self) -> bool {
        self.text.len() > WORDY
    }

    /// Whether it is so short that it stays in one line everywhere.
    fn is_short(&self) -> bool {
        self.picture.is_some() || self.text.chars().count() < SHORT
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
#[template(path = "ui/table.html")]
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

/// A text of fewer letters than this never wraps: a number, a date.
const SHORT: usize = 14;

/// A name of more letters than this leaves no room beside it on a phone.
const LONG_NAME: usize = 26;

/// As many letters stand beside each other in a narrow window.
const LETTERS: usize = 46;

/// How many letters the space between two columns takes.
const GAP: usize = 1;

/// As many columns beside the first stand in a narrow window at once.
const FEW: usize = 4;

impl Table {
    /// Whether it has long texts, so that a narrow window shows a card for each row.
    fn is_wordy(&self) -> bool {
        let is_long = |row: &Row| {
            let mut cells = row.cells.iter();
            row.owner.name.len() > LONG_NAME || cells.any(Cell::is_wordy)
        };
        let is_wide = !self.is_large() && self.letters() > LETTERS;
        self.columns.len() > 1 && (is_wide || self.rows.iter().any(is_long))
    }

    /// Whether it has so many columns that it is compared rather than read: it scrolls.
    fn is_large(&self) -> bool {
        self.columns.len() > FEW + 1
    }

    /// How many letters stand beside each other in its widest line, where texts wrap as far as they can.
    fn letters(&self) -> usize {
        let rows = || self.rows.iter().chain(&self.pseudo);
        let longest = |text: &str| {
            let words = text.split(' ').map(|word| word.chars().count());
            words.max().unwrap_or_default()
        };
        let of_column = |(nth, column): (usize, &Column)| {
            let cells = rows().filter_map(|row| row.cells.get(nth));
            let cells = cells.map(|cell| {
                if cell.is_short() {
                    cell.text.chars().count()
                } else {
                    longest(&cell.text)
                }
            });
            cells.max().unwrap_or_default().max(longest(&column.title)) + GAP
        };
        let names = rows().map(|row| row.owner.name.chars().count() + 2 * row.owner.roles.len());
        let columns: usize = self.columns.iter().enumerate().map(of_column).sum();
        let heading = self.owner.title.chars().count();
        names.max().unwrap_or_default().max(heading) + columns
    }

    /// Whether it has so few columns that a narrow window holds them all once texts wrap.
    fn is_small(&self) -> bool {
        self.columns.len() <= FEW
    }

    fn width(&self) -> usize {
        1 + self.columns.len() + usize::from(self.tells_change)
    }
}

writes_html!(Table);
