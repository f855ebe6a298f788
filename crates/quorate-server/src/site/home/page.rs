//! All games of a server.

use askama::Template;
use serde::{Deserialize, Serialize};

use crate::ui::urls::Href;
use crate::ui::{Chrome, Link, urls};

/// A game in the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameCard {
    /// Its name.
    pub name: String,
    /// Its word in addresses.
    pub game: String,
    /// What it is about, in a sentence or two.
    pub about: String,
    /// "Second Dynasty of Ostrow, day 12".
    pub dynasty: String,
    /// "11 players, 4 idle".
    pub players: String,
    /// "3 proposals pending, last post 7 h ago".
    pub doing: String,
    /// How many things wait for the reader.
    pub waiting: usize,
    /// Whether the reader plays there.
    pub is_joined: bool,
}

impl GameCard {
    /// Its front page.
    pub fn href(&self) -> Href {
        urls::Game { game: &self.game }.into()
    }
}

/// All games of a server.
#[derive(Clone, Debug, Template)]
#[template(path = "site/home/home.html")]
pub struct Home {
    /// Around it.
    pub chrome: Chrome,
    /// The server's own words for strangers.
    pub welcome: String,
    /// Those with something for the reader first.
    pub games: Vec<GameCard>,
    /// Founding a game, where the reader may.
    pub found: Option<Link>,
    /// The operator's panel, for those who run the server.
    pub panel: Option<Link>,
    /// Signing up or in, for strangers.
    pub ways_in: Vec<Link>,
}
