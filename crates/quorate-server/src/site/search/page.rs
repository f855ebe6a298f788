//! What a search found.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Chrome, Field, Link, When};

/// A place where something was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// "Rule", "Proposal", "Comment".
    pub kind: String,
    /// The rule or post.
    pub to: Link,
    /// The words around it.
    pub excerpt: String,
    /// When it was written.
    pub when: Option<When>,
}

/// Search in posts, comments and rules.
#[derive(Clone, Debug, Template)]
#[template(path = "site/search/search.html")]
pub struct Search {
    /// Around it.
    pub chrome: Chrome,
    /// This page.
    pub here: Href,
    /// What was looked for.
    pub query: String,
    /// Of whom, of which kind, from when to when.
    pub fields: Vec<Field>,
    /// Whether anything was looked for.
    pub is_asked: bool,
    /// What was found, best first.
    pub hits: Vec<Hit>,
}

impl Search {
    /// Whether more is asked for than words.
    fn is_narrowed(&self) -> bool {
        self.fields.iter().any(Field::is_filled)
    }
}
