//! The parts of a page on which somebody chooses something for themselves.

use super::{Fact, Form, Link};

/// A part of such a page.
#[derive(Clone, Debug, Default)]
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
    pub forms: Vec<Form>,
}

impl SettingsBlock {
    /// A part without lines and forms.
    pub fn new(id: &str, title: &str, about: impl Into<String>) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            about: about.into(),
            ..Self::default()
        }
    }
}

/// One thing that there is.
#[derive(Clone, Debug, Default)]
pub struct SettingsLine {
    /// "Firefox on Linux, this one".
    pub title: String,
    /// "since 3 May, last used today 16:40 UTC".
    pub about: String,
    /// What can be done about it.
    pub forms: Vec<Form>,
    /// Where there is more of it.
    pub more: Option<Link>,
}
