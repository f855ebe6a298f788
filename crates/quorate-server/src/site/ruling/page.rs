//! Both gamestates of a ruling, and what became of each event.

use askama::Template;

use crate::ui::{Chrome, Link, Verdict};

/// A value that differs between the game with and without the events that a ruling names.
#[derive(Clone, Debug)]
pub struct RulingRow {
    /// Whose value, or which event.
    pub what: String,
    /// As it stands.
    pub stands: String,
    /// As it would be.
    pub would_be: String,
    /// The event that makes the difference.
    pub cause: Option<Link>,
}

/// What a ruling would do: both gamestates.
#[derive(Clone, Debug, Template)]
#[template(path = "site/ruling/ruling.html")]
pub struct RulingPage {
    /// Around it.
    pub chrome: Chrome,
    /// The call for judgement.
    pub matter: Link,
    /// How it stands.
    pub verdict: Verdict,
    /// "If upheld, Sable's crash of 13 May is struck. 12 later events stand, 2 differ, 1 waits for an answer."
    pub summary: String,
    /// Each value that differs.
    pub rows: Vec<RulingRow>,
    /// Events that would be struck too, or wait.
    pub events: Vec<RulingRow>,
}
