//! Players and dynasties.

use askama::Template;

use super::{Chrome, Fact, Link};
use crate::{
    markup::Markup,
    parts::{Ballot, Entry, Form, Offer, Person, Status, Table, When},
    urls::Href,
};

/// Everybody in a game.
#[derive(Clone, Debug, Template)]
#[template(path = "players.html")]
pub struct Players {
    /// Around it.
    pub chrome: Chrome,
    /// The theme's word.
    pub title: String,
    /// "11 active, 4 idle; quorum is 6".
    pub about: String,
    /// Active ones, idle ones below.
    pub table: Table,
    /// Asking to join, for those who may.
    pub join: Option<Form>,
}

/// A vote that somebody cast.
#[derive(Clone, Debug)]
pub struct Voted {
    /// When.
    pub when: When,
    /// Which.
    pub ballot: Ballot,
    /// The matter.
    pub on: Link,
    /// What became of it.
    pub status: Option<Status>,
}

/// One player.
#[derive(Clone, Debug, Template)]
#[template(path = "player.html")]
pub struct PlayerPage {
    /// Around it.
    pub chrome: Chrome,
    /// Who.
    pub person: Person,
    /// "Horde since 2 March · admin · active".
    pub about: String,
    /// What they hold.
    pub facts: Vec<Fact>,
    /// How they play: votes cast, proposals passed, dynasties won.
    pub record: Vec<Fact>,
    /// Their latest votes: when, which, on what, and what became of it.
    pub votes: Vec<Voted>,
    /// Since when active and idle, latest first.
    pub idling: Vec<(When, String)>,
    /// Their latest posts.
    pub entries: Vec<Entry>,
    /// What the reader may do about them: idle, unidle, make admin.
    pub offers: Vec<Offer>,
    /// A private message.
    pub write: Option<Link>,
}

/// A dynasty in the list.
#[derive(Clone, Debug)]
pub struct DynastyLine {
    /// Its page.
    pub to: Link,
    /// "38 days, 61 proposals".
    pub about: String,
    /// How it ended, or that it runs.
    pub ending: String,
}

/// All dynasties.
#[derive(Clone, Debug, Template)]
#[template(path = "dynasties.html")]
pub struct Dynasties {
    /// Around it.
    pub chrome: Chrome,
    /// Latest first.
    pub dynasties: Vec<DynastyLine>,
}

/// What was said beforehand of dice.
#[derive(Clone, Debug)]
pub struct PledgeTold {
    /// The event that said it, by its number.
    pub event: Link,
    /// The digest of the key.
    pub said: String,
    /// The key, where it is shown.
    pub key: Option<String>,
}

/// One dynasty.
#[derive(Clone, Debug, Template)]
#[template(path = "dynasty.html")]
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
    /// What was settled in it, latest first: the day, the matter and what became of it.
    pub settled: Vec<(When, Link, Option<Status>)>,
    /// What was said of its dice.
    pub pledges: Vec<PledgeTold>,
    /// What checking the dice found, where that was asked for.
    pub checked: Option<String>,
    /// This page with the dice checked.
    pub check: Href,
}
