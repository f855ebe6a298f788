//! Everybody in a game, and each of them.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{
    Ballot, Chrome, Entry, Fact, Follow, Form, Link, Offer, Person, Status, Table, When,
};

/// Everybody in a game.
#[derive(Clone, Debug, Template)]
#[template(path = "site/people/players.html")]
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
#[template(path = "site/people/player.html")]
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
    /// Whether to hear of them.
    pub follow: Option<Follow>,
    /// Where the operator is told of them, for whoever is signed in.
    pub report: Option<Href>,
}
