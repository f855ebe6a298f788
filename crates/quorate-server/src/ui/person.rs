//! People as pages name them.

use askama::Template;

use crate::ui::html::writes_html;
use crate::ui::mark::{Icon, Mark};
use crate::ui::urls::Href;

/// A role that is drawn beside a name, under the word that the game's theme has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Crown for the emperor, key for an admin, moon for the idle.
    pub icon: Icon,
    /// The theme's word: "Harbourmaster".
    pub word: String,
}

/// Somebody in a game, or nobody who may be known.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(path = "ui/person.html")]
pub struct Person {
    /// The name to show; "Anonymous" where the author is hidden.
    pub name: String,
    /// Their page, where they have one.
    pub href: Option<Href>,
    /// Whether this is the reader.
    pub is_you: bool,
    /// What they are beside a player.
    pub roles: Vec<Role>,
}

impl Person {
    /// Somebody with a page of their own and no special role.
    pub fn new(name: impl Into<String>, href: impl Into<Href>) -> Self {
        Self {
            name: name.into(),
            href: Some(href.into()),
            is_you: false,
            roles: Vec::new(),
        }
    }

    /// Somebody who is only a name: the game itself, a pseudo-player, a hidden author.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            href: None,
            is_you: false,
            roles: Vec::new(),
        }
    }

    /// The same person as the reader.
    #[must_use]
    pub fn you(mut self) -> Self {
        self.is_you = true;
        self
    }

    /// The same person with one more role.
    #[must_use]
    pub fn with(mut self, icon: Icon, word: impl Into<String>) -> Self {
        self.roles.push(Role {
            icon,
            word: word.into(),
        });
        self
    }

    fn marks(&self) -> impl Iterator<Item = Mark> + '_ {
        self.roles
            .iter()
            .map(|role| role.icon.called(role.word.clone()))
    }
}

writes_html!(Person);
