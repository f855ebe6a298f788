//! Pages that are one form: signing in and up, recovery, an invitation, founding a game, joining one.

use askama::Template;

use crate::ui::chrome::{Chrome, Link};
use crate::ui::form::Form;

/// A page that is one form.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/form_page.html")]
pub struct FormPage {
    /// Around it.
    pub chrome: Chrome,
    /// "Sign in".
    pub title: String,
    /// What to know first.
    pub about: String,
    /// What was wrong with the whole of it; what is wrong with a field stands at the field.
    pub error: Option<String>,
    /// The form; nothing on a page that only says what has happened.
    pub form: Option<Form>,
    /// Other ways from here.
    pub ways: Vec<Link>,
}
