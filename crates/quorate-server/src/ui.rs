//! What pages are put together from: typed pieces that have already decided what stands in them.
//!
//! Each piece is plain data with a small template beside it, or writes itself where it is a mere mark. Nothing here asks a
//! clock or a rule: times come as [`When`], permissions as the presence of a form.

pub mod assets;
pub mod bar;
pub mod board;
pub mod chart;
pub mod chrome;
pub mod code;
pub mod dice;
pub mod diff;
pub mod entry;
pub mod error_page;
pub mod follow;
pub mod forecast;
pub mod form;
pub mod form_page;
pub mod fresh;
pub mod glyph;
pub mod history;
pub mod html;
pub mod mark;
pub mod markup;
pub mod outcome;
pub mod person;
pub mod quick;
pub mod refusal;
#[cfg(test)]
pub mod sample;
pub mod settings;
pub mod sheet;
pub mod table;
pub mod time;
pub mod todo;
pub mod urls;
pub mod vote;
pub mod votes;

pub use bar::Bar;
pub use board::{Board, LegendLine, Piece, Square, Target, Trail};
pub use chart::{Chart, Point};
pub use chrome::{Banner, Chrome, Fact, GameFrame, Link, Reader, Section, Theme};
pub use code::WithCode;
pub use dice::{Die, Roll, Swatch};
pub use diff::{Change, Line, Run, Side, lines, words};
pub use entry::{Comment, Entry, Needs, NeedsLine};
pub use error_page::{ErrorPage, RefusalPage};
pub use follow::Follow;
pub use forecast::{Effect, EffectGroup, Effects};
pub use form::{Choice, Field, FieldKind, Form, Offer, Send};
pub use form_page::FormPage;
pub use fresh::Fresh;
pub use glyph::Glyph;
pub use history::{History, Step};
pub use html::plural;
pub(crate) use html::writes_html;
pub use mark::{Ballot, ClaimMark, Icon, Mark, Status, StatusKind, Tone};
pub use outcome::Outcome;
pub use person::{Person, Role};
pub use quick::QuickVote;
pub use refusal::{Cite, Need, Refusal};
pub use settings::{SettingsBlock, SettingsLine};
pub use sheet::Sheet;
pub use table::{Cell, Column, Row, Sorted, Table};
pub use time::{When, age, span};
pub use todo::TodoLine;
pub use vote::{Gauge, Tally, Verdict};
pub use votes::{EditWindow, If, VoteLine, Votes};
