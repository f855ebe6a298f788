//! What one hears of, and how.

use askama::Template;

use crate::ui::{Chrome, Link, SettingsBlock};

/// What one hears of, and how.
#[derive(Clone, Debug, Template)]
#[template(path = "site/notices/notices.html")]
pub struct Notices {
    /// Around it.
    pub chrome: Chrome,
    /// For all games, or for one.
    pub about: String,
    /// What was wrong with a form.
    pub error: Option<String>,
    /// The same for all games, and for each of one's own.
    pub ways: Vec<Link>,
    /// Ways, hours, kinds, what is followed.
    pub blocks: Vec<SettingsBlock>,
}
