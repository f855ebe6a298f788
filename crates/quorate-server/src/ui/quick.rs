//! One-click votes: a row of buttons under a matter.

use askama::Template;

use crate::ui::form::Send;
use crate::ui::html::writes_html;
use crate::ui::mark::Ballot;

/// Buttons that each send a vote without a comment.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/quick.html")]
pub struct QuickVote {
    /// Where it goes.
    pub send: Send,
    /// The matter, for readers who hear the page.
    pub title: String,
    /// The sides that the reader may take, and whether it is their vote as it stands.
    pub sides: Vec<(Ballot, bool)>,
}

impl QuickVote {
    /// What stands before the buttons.
    fn lead(&self) -> &'static str {
        if self.sides.iter().any(|(_, is_mine)| *is_mine) {
            "Your vote:"
        } else {
            "You haven’t voted:"
        }
    }
}

writes_html!(QuickVote);
