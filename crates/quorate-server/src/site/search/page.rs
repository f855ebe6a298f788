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
    /// Who wrote or did it.
    pub by: Option<String>,
    /// The words around it, each piece with whether it is what was looked for.
    pub excerpt: Vec<(String, bool)>,
    /// When it was written.
    pub when: Option<When>,
}

/// The places that were found.
#[derive(Clone, Debug, Default)]
pub struct SearchFound {
    /// The best first.
    pub hits: Vec<Hit>,
    /// The way to those that follow.
    pub more: Option<Href>,
    /// Whether these are the first.
    pub begins: bool,
    /// Whether some of the log is still to be read for searches.
    pub is_behind: bool,
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
    /// What of it cannot be meant.
    pub mistake: Option<String>,
    /// Of whom, of which kind, from when to when.
    pub fields: Vec<Field>,
    /// What was found; none where nothing was looked for.
    pub found: Option<SearchFound>,
}

impl Search {
    /// Whether more is asked for than words.
    fn is_narrowed(&self) -> bool {
        self.fields.iter().any(Field::is_filled)
    }
}

impl SearchFound {
    /// What stands above the places.
    fn heading(&self, query: &str) -> String {
        let count = self.hits.len();
        match (self.begins, &self.more) {
            _ if count == 0 && query.is_empty() => "Nothing found".to_owned(),
            _ if count == 0 => format!("Nothing found for “{query}”"),
            (true, None) => crate::ui::plural(count, "place", "places"),
            (true, Some(_)) => format!("The first {count} places"),
            (false, _) => "More places".to_owned(),
        }
    }
}
