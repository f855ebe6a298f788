//! Tracked values, the dice line, and what needs a second look.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Choice, Chrome, Fact, Field, Fresh, History, Link, Roll, Send, Table, TodoLine};

/// The dice line.
#[derive(Clone, Debug)]
pub struct DiceLine {
    /// Where it goes.
    pub send: Send,
    /// The line, with what was typed and what was wrong.
    pub field: Field,
}

/// The tracker.
#[derive(Clone, Debug, Template)]
#[template(path = "site/tracker/tracker.html")]
pub struct Tracker {
    /// What can be picked as columns of the players' table.
    pub columns: Vec<Choice>,
    /// The page itself.
    pub here: Href,
    /// What has changed since the reader said that they have seen the values.
    pub fresh: Option<Fresh>,
    /// Around it.
    pub chrome: Chrome,
    /// Whether it is the tracker of another moment, and which.
    pub past: Option<String>,
    /// Values of players first, then of each kind of thing.
    pub tables: Vec<(String, Table)>,
    /// Marks that occur: "behind a barricade".
    pub key: Vec<String>,
    /// Pages that the law declares, and other ways to values.
    pub pages: Vec<Link>,
    /// Values of the game itself.
    pub facts: Vec<Fact>,
    /// The history of one of them, or of a value that no table here shows.
    pub history: Option<History>,
    /// The dice line, where the reader may roll.
    pub dice: Option<DiceLine>,
    /// Its log, latest first.
    pub rolls: Vec<Roll>,
    /// The whole log of dice.
    pub all_rolls: Link,
    /// Claimed and disputed values.
    pub looks: Vec<TodoLine>,
}

impl Tracker {
    /// Whether some value bears a mark that the page has to explain.
    fn is_marked(&self) -> bool {
        let tables = self.tables.iter().map(|(_, table)| table);
        let mut rows = tables.flat_map(|table| table.rows.iter().chain(&table.pseudo));
        rows.any(|row| row.cells.iter().any(|cell| cell.claim.is_some()))
    }
}
