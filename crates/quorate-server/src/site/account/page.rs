//! One's own account.

use askama::Template;

use crate::ui::{Chrome, Form, SettingsBlock};

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
