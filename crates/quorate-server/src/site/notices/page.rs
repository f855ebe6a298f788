//! What one hears of, and how.

use askama::Template;

use crate::ui::{Chrome, Fact, Form, Link};

/// A channel, a letter, something followed: a line with what can be done about it.
#[derive(Clone, Debug)]
pub struct NoticesLine {
    /// "Mail to anna@example.org".
    pub title: String,
    /// "confirmed; left last on 3 May".
    pub about: String,
    /// What can be done about it.
    pub forms: Vec<Form>,
    /// Where there is more of it.
    pub more: Option<Link>,
}

/// A part of the page.
#[derive(Clone, Debug)]
pub struct NoticesBlock {
    /// The element's id.
    pub id: String,
    /// "Ways to you".
    pub title: String,
    /// What it is for.
    pub about: String,
    /// What there is.
    pub lines: Vec<NoticesLine>,
    /// A secret that is shown once and never again.
    pub shown_once: Option<Fact>,
    /// What can be changed.
    pub forms: Vec<Form>,
}

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
    pub blocks: Vec<NoticesBlock>,
}
