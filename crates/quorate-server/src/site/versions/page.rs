//! The versions of an edited post, each with what it changed.

use askama::Template;

use crate::ui::{Change, Chrome, Link, When};

/// A version.
#[derive(Clone, Debug)]
pub struct VersionRow {
    /// Since when.
    pub when: When,
    /// What is otherwise than in the version before; the first has none.
    pub changes: Vec<Change>,
}

/// All versions of a post.
#[derive(Clone, Debug, Template)]
#[template(path = "site/versions/versions.html")]
pub struct Versions {
    /// Around it.
    pub chrome: Chrome,
    /// The post.
    pub post: Link,
    /// Newest first.
    pub versions: Vec<VersionRow>,
}
