//! Private messages.

use askama::Template;

use crate::ui::markup::Markup;
use crate::ui::{Chrome, Form, Link, Person, When};

/// A conversation in the list.
#[derive(Clone, Debug)]
pub struct ThreadLine {
    /// With whom, leading there.
    pub to: Link,
    /// The last message's first words.
    pub excerpt: String,
    /// When it came.
    pub when: When,
    /// How many are unread.
    pub unread: usize,
}

/// All conversations.
#[derive(Clone, Debug, Template)]
#[template(path = "site/messages/messages.html")]
pub struct Messages {
    /// Around it.
    pub chrome: Chrome,
    /// Latest first.
    pub threads: Vec<ThreadLine>,
    /// A new one.
    pub form: Option<Form>,
}

/// One message.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The element's id.
    pub id: String,
    /// Who wrote it.
    pub by: Person,
    /// When.
    pub when: When,
    /// What it says.
    pub body: Markup,
}

/// One conversation.
#[derive(Clone, Debug, Template)]
#[template(path = "site/messages/thread.html")]
pub struct Thread {
    /// Around it.
    pub chrome: Chrome,
    /// "Messages with Ostrow".
    pub title: String,
    /// All conversations.
    pub back: Link,
    /// Who else may read it: "Ostrow reads this as the mediator of rule 9".
    pub about: String,
    /// Oldest first.
    pub letters: Vec<Letter>,
    /// The answer.
    pub form: Option<Form>,
}
