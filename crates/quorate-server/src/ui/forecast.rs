//! What a proposal would do, as pieces: single effects and groups of them.

use crate::ui::chrome::Link;
use crate::ui::urls::Href;

/// One thing that a proposal would do.
#[derive(Clone, Debug)]
pub struct Effect {
    /// "Newly able to barricade at Night:".
    pub lead: String,
    /// "Corwin (8 Zombies), Hesper (6), Quill (9)."
    pub text: String,
    /// Where to look closer.
    pub more: Option<Link>,
    /// What the check found, with its line of code; empty for most lines.
    pub finding: String,
    /// Whether everybody should see this before voting.
    pub is_alarm: bool,
}

impl Effect {
    /// A line.
    pub fn new(lead: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            lead: lead.into(),
            text: text.into(),
            more: None,
            finding: String::new(),
            is_alarm: false,
        }
    }

    /// The same, as something that everybody should see before voting.
    #[must_use]
    pub fn alarm(mut self) -> Self {
        self.is_alarm = true;
        self
    }

    /// The same, with what the check found.
    #[must_use]
    pub fn found(mut self, finding: impl Into<String>) -> Self {
        self.finding = finding.into();
        self
    }

    /// The same, with where to look closer.
    #[must_use]
    pub fn to(mut self, more: Link) -> Self {
        self.more = Some(more);
        self
    }
}

/// What a proposal would do, tried on a copy of the game.
#[derive(Clone, Debug)]
pub struct Effects {
    /// "tried on a copy of the game at 16:40 UTC".
    pub note: String,
    /// What it would do.
    pub lines: Vec<Effect>,
    /// The whole report.
    pub whole: Option<Href>,
}

/// Lines of a report under a heading.
#[derive(Clone, Debug)]
pub struct EffectGroup {
    /// The element's id.
    pub id: String,
    /// "In the queue".
    pub title: String,
    /// What the group is about, where that needs saying.
    pub note: String,
    /// Its lines.
    pub lines: Vec<Effect>,
    /// Where they are found out, for they take longer than the rest of the report.
    pub later: Option<Href>,
}
