//! All dynasties, and one of them.

use askama::Template;

use crate::ui::markup::Markup;
use crate::ui::urls::Href;
use crate::ui::{Chrome, Fact, Link, Status, When};
use crate::view::dynasties::DynastyLine;
use crate::view::missing::MissingLine;

/// All dynasties.
#[derive(Clone, Debug, Template)]
#[template(path = "site/dynasty/dynasties.html")]
pub struct Dynasties {
    /// Around it.
    pub chrome: Chrome,
    /// Latest first.
    pub dynasties: Vec<DynastyLine>,
}

/// What was said beforehand of dice.
#[derive(Clone, Debug)]
pub struct CommitmentTold {
    /// The event that said it, by its number.
    pub event: Link,
    /// The digest of the key.
    pub said: String,
    /// The key, where it is shown.
    pub key: Option<String>,
}

/// One dynasty.
#[derive(Clone, Debug, Template)]
#[template(path = "site/dynasty/dynasty.html")]
pub struct DynastyPage {
    /// Around it.
    pub chrome: Chrome,
    /// "First Dynasty of Ostrow".
    pub title: String,
    /// Its theme in a sentence.
    pub about: String,
    /// The ascension address, or the story that was written of it.
    pub story: Markup,
    /// Emperor, winner, dates, words.
    pub facts: Vec<Fact>,
    /// The ruleset at its end, the tracker at its end, its posts.
    pub ways: Vec<Link>,
    /// Clauses of today's rules that miss what went with others; of the dynasty that runs alone.
    pub missing: Vec<MissingLine>,
    /// What was settled in it, latest first: the day, the matter and what became of it.
    pub settled: Vec<(When, Link, Option<Status>)>,
    /// What was said of its dice.
    pub commitments: Vec<CommitmentTold>,
    /// What checking the dice found, where that was asked for.
    pub checked: Option<String>,
    /// This page with the dice checked.
    pub check: Href,
}
