//! One's own account.

use askama::Template;

use crate::ui::{Chrome, Fact, Form};

/// A session, a token: something with a button that ends it.
#[derive(Clone, Debug)]
pub struct SettingsLine {
    /// "Firefox on Linux, this one".
    pub title: String,
    /// "since 3 May, last used today 16:40 UTC".
    pub about: String,
    /// Its end.
    pub form: Option<Form>,
}

/// A part of the settings.
#[derive(Clone, Debug)]
pub struct SettingsBlock {
    /// The element's id.
    pub id: String,
    /// "Password".
    pub title: String,
    /// What it is for.
    pub about: String,
    /// What there is.
    pub lines: Vec<SettingsLine>,
    /// A secret that is shown once and never again.
    pub shown_once: Option<Fact>,
    /// What can be changed.
    pub form: Option<Form>,
}

/// One's own account.
#[derive(Clone, Debug, Template)]
#[template(path = "site/account/settings.html")]
pub struct Settings {
    /// Around it.
    pub chrome: Chrome,
    /// The account's name.
    pub name: String,
    /// Appearance, mail, password, sessions, tokens, erasing.
    pub blocks: Vec<SettingsBlock>,
    /// Signing out.
    pub sign_out: Form,
}
