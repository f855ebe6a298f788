//! What happened, and what to do.

use askama::Template;

use crate::ui::chrome::{Chrome, Link};
use crate::ui::refusal::Refusal;

/// An error.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/error.html")]
pub struct ErrorPage {
    /// Around it.
    pub chrome: Chrome,
    /// "This page does not exist".
    pub title: String,
    /// What happened.
    pub what: String,
    /// What to do.
    pub todo: String,
    /// Ways on.
    pub ways: Vec<Link>,
    /// A name under which the operator finds it in the log.
    pub reference: Option<String>,
}

/// The law's no, on a page of its own: what was tried by a form whose page is gone.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/refusal_page.html")]
pub struct RefusalPage {
    /// Around it.
    pub chrome: Chrome,
    /// The refusal.
    pub refusal: Refusal,
    /// What was typed, so that it is not lost.
    pub typed: Option<String>,
    /// The way back.
    pub back: Link,
}
