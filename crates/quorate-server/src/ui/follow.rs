//! Buttons by which somebody follows a thing or mutes it.

use askama::Template;

use crate::ui::form::Send;
use crate::ui::html::writes_html;

/// Follow, mute, or neither.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/follow.html")]
pub struct Follow {
    /// Where the choice goes.
    pub send: Send,
    /// What is followed: "this post".
    pub what: &'static str,
}

writes_html!(Follow);
