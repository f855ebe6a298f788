//! What pages are put together from: typed pieces that have already decided what stands in them.
//!
//! Each piece is plain data with a small template of its own (`templates/parts/`), or writes itself where it is a mere
//! mark. Nothing here asks a clock or a rule: times come as [`When`], permissions as the presence of a form.

mod bar;
mod board;
mod chart;
mod dice;
mod diff;
mod entry;
mod form;
mod history;
mod mark;
mod person;
mod refusal;
mod table;
mod time;
mod vote;

pub use bar::Bar;
pub use board::{Board, Glyph, LegendLine, Piece, Square, Target, Trail};
pub use chart::{Chart, Point};
pub use dice::{Die, Roll, Swatch};
pub use diff::{Change, Line, Run, Side, lines, words};
pub use entry::{Comment, Entry, Needs, NeedsLine};
pub use form::{Choice, Field, FieldKind, Form, Offer, Send};
pub use history::{History, Step};
pub use mark::{Ballot, Icon, Mark, Status, StatusKind, Tone};
pub use person::{Person, Role};
pub use refusal::{Cite, Need, Refusal};
pub use table::{Cell, Claim, Column, Row, Sorted, Table};
pub use time::{When, age, span};
pub use vote::{Gauge, Tally, Verdict};

/// Says that a piece writes finished HTML, in which everything that came from outside is escaped already.
macro_rules! writes_html {
    ($($piece:ty),+ $(,)?) => { $(impl askama::filters::HtmlSafe for $piece {})+ };
}
pub(crate) use writes_html;

/// A heading's or a count's noun in the right number: `plural(1, "vote", "votes")` gives "1 vote".
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
