//! A person’s own values on a page.

use crate::ui::chrome::Fact;

/// The reader's own values.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The reader's name.
    pub title: String,
    /// "Fighting on E3".
    pub note: String,
    /// What they hold.
    pub facts: Vec<Fact>,
}
