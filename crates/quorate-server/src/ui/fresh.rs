//! What is new to the reader, with the button that says that they have seen it.

use askama::Template;

use crate::ui::form::Send;
use crate::ui::html::writes_html;

/// How much is new, and how it is marked as seen.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/fresh.html")]
pub struct Fresh {
    /// "3 rules are new or changed".
    pub words: String,
    /// Where the button goes.
    pub send: Send,
}

writes_html!(Fresh);
