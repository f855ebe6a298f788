//! The admins' desk.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Chrome, Form, Gauge, Icon, Link, Status, Tally, TodoLine, When};

/// A matter, or somebody, that the desk may deal with.
#[derive(Clone, Debug)]
pub struct DeskItem {
    /// The place in the queue, where there is one.
    pub position: Option<u32>,
    /// A drawing instead of the place.
    pub icon: Option<Icon>,
    /// The matter or the name.
    pub to: Link,
    /// "Corwin · 1 d 9 h old · changes rule 11.2".
    pub about: String,
    /// How it stands.
    pub status: Option<Status>,
    /// The votes.
    pub votes: Option<(Gauge, Tally)>,
    /// "7 FOR, quorum is 6."
    pub lead: String,
    /// The evidence, with its rule.
    pub text: String,
    /// What each closing would do, by its button: "Enact, 7–1", "changes 1 rule".
    pub does: Vec<(String, String)>,
    /// The whole report of what it would do.
    pub whole: Option<Href>,
    /// What is legal now, the one thing that is expected first.
    pub forms: Vec<Form>,
    /// Words under the button, or in its place: "after number 1".
    pub note: String,
    /// When it becomes possible.
    pub due: Option<When>,
}

impl DeskItem {
    /// One with a drawing, and nothing to do but to follow its link.
    pub fn drawn(icon: Icon, to: Link) -> Self {
        Self {
            position: None,
            icon: Some(icon),
            to,
            about: String::new(),
            status: None,
            votes: None,
            lead: String::new(),
            text: String::new(),
            does: Vec::new(),
            whole: None,
            forms: Vec::new(),
            note: String::new(),
            due: None,
        }
    }
}

/// Matters of one kind.
#[derive(Clone, Debug)]
pub struct DeskQueue {
    /// The element's id.
    pub id: String,
    /// "Proposals, oldest first".
    pub title: String,
    /// "3 pending", "rule 2.4: a week without a vote".
    pub note: String,
    /// In the order in which they may be dealt with.
    pub items: Vec<DeskItem>,
}

/// The desk.
#[derive(Clone, Debug, Template)]
#[template(path = "site/desk/desk.html")]
pub struct Desk {
    /// Around it.
    pub chrome: Chrome,
    /// Matters, then candidates for idling; none of them is empty.
    pub queues: Vec<DeskQueue>,
    /// Joiners and requests.
    pub door: Vec<TodoLine>,
    /// Claimed and disputed values, sleeping clauses.
    pub open: Vec<(Status, String, Link)>,
    /// Latest first.
    pub done: Vec<(When, String, Href)>,
    /// All of it.
    pub log: Link,
}
