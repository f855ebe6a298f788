//! Marks that mean one thing each: icons, tones, votes and statuses.

use std::fmt;

use quorate_engine::conventions;

use crate::ui::html::writes_html;

/// The drawings of the sprite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the drawings.
pub enum Icon {
    For,
    Against,
    Deferential,
    Veto,
    None,
    Other,
    Pending,
    Enacted,
    Failed,
    Claimed,
    Disputed,
    Sleep,
    Person,
    Crown,
    Key,
    Moon,
    Pen,
    Pinned,
    Ask,
    Bolt,
    Lock,
    Search,
    Mail,
    Star,
    Door,
    Chat,
}

impl Icon {
    fn id(self) -> &'static str {
        match self {
            Self::For => "for",
            Self::Against => "against",
            Self::Deferential => "deferential",
            Self::Veto => "veto",
            Self::None => "none",
            Self::Other => "other",
            Self::Pending => "pending",
            Self::Enacted => "enacted",
            Self::Failed => "failed",
            Self::Claimed => "claimed",
            Self::Disputed => "disputed",
            Self::Sleep => "sleep",
            Self::Person => "person",
            Self::Crown => "crown",
            Self::Key => "key",
            Self::Moon => "moon",
            Self::Pen => "pen",
            Self::Pinned => "pinned",
            Self::Ask => "ask",
            Self::Bolt => "bolt",
            Self::Lock => "lock",
            Self::Search => "search",
            Self::Mail => "mail",
            Self::Star => "star",
            Self::Door => "door",
            Self::Chat => "chat",
        }
    }

    /// The drawing for readers who also hear it: with a word of its own.
    pub fn called(self, word: impl Into<String>) -> Mark {
        Mark {
            icon: self,
            tone: None,
            word: word.into(),
        }
    }
}

/// The drawing alone; a word stands beside it.
impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            r##"<svg class="icon" aria-hidden="true"><use href="#i-{}"/></svg>"##,
            self.id()
        )
    }
}

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tone {
    For,
    Against,
    Deferential,
    Veto,
    Pending,
    Enacted,
    Failed,
    Claimed,
    Disputed,
    None,
}

/// The tone's class in the style sheet.
impl fmt::Display for Tone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::For => "t-for",
            Self::Against => "t-against",
            Self::Deferential => "t-def",
            Self::Veto => "t-veto",
            Self::Pending => "t-pending",
            Self::Enacted => "t-enacted",
            Self::Failed => "t-failed",
            Self::Claimed => "t-claimed",
            Self::Disputed => "t-disputed",
            Self::None => "t-none",
        })
    }
}

/// A drawing that stands alone and so carries its word for readers who hear the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What is drawn.
    pub icon: Icon,
    /// Its colour, where it has a meaning.
    pub tone: Option<Tone>,
    /// What is said.
    pub word: String,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tone = self.tone.map(|tone| format!(" {tone}")).unwrap_or_default();
        let word = crate::ui::html::escape(&self.word);
        write!(
            f,
            r##"<svg class="icon{tone}" role="img" aria-label="{word}"><title>{word}</title><use href="#i-{}"/></svg>"##,
            self.icon.id()
        )
    }
}

/// One side that a vote can take. The four of the tradition have drawings of their own; what else a law declares is
/// shown by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// The name under which the law knows it, and which a form sends: "for".
    pub name: String,
}

impl Ballot {
    /// The side of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }

    /// Its drawing.
    pub fn icon(&self) -> Icon {
        match self.name.as_str() {
            "for" => Icon::For,
            "against" => Icon::Against,
            "deferential" => Icon::Deferential,
            "veto" => Icon::Veto,
            "" => Icon::None,
            _ => Icon::Other,
        }
    }

    /// Its colour.
    pub fn tone(&self) -> Tone {
        match self.name.as_str() {
            "for" => Tone::For,
            "against" => Tone::Against,
            "deferential" => Tone::Deferential,
            "veto" => Tone::Veto,
            _ => Tone::None,
        }
    }

    /// Its word as votes are written: "FOR".
    pub fn word(&self) -> String {
        self.name.to_uppercase()
    }

    /// What its votes are doing, under their number: "FOR", "deferring".
    pub fn doing(&self) -> String {
        if self.name == conventions::FOLLOWING {
            "deferring".to_owned()
        } else {
            self.word()
        }
    }

    /// Drawing and word as one mark, for gutters and tallies.
    pub fn mark(&self) -> Mark {
        Mark {
            icon: self.icon(),
            tone: Some(self.tone()),
            word: self.word(),
        }
    }
}

/// What is said about a value beside the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimMark {
    /// Recorded by hand, not yet settled.
    Claimed,
    /// Somebody says that it is wrong.
    Disputed,
}

impl ClaimMark {
    pub(crate) fn mark(self) -> Mark {
        let (icon, tone, word) = match self {
            Self::Claimed => (Icon::Claimed, Tone::Claimed, "claimed"),
            Self::Disputed => (Icon::Disputed, Tone::Disputed, "disputed"),
        };
        Mark {
            icon,
            tone: Some(tone),
            word: word.into(),
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Disputed => "disputed",
        }
    }
}

/// What has become of a matter, as far as a drawing tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum StatusKind {
    Pending,
    Enacted,
    Failed,
    Stopped,
    Claimed,
    Disputed,
    Asleep,
    Void,
}

/// A shape and a word, coloured as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Which shape and colour.
    pub kind: StatusKind,
    /// The word: "Enacted", or what the law calls it.
    pub word: String,
}

impl Status {
    /// A status of that kind under that word.
    pub fn new(kind: StatusKind, word: impl Into<String>) -> Self {
        Self {
            kind,
            word: word.into(),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (icon, tone) = match self.kind {
            StatusKind::Pending => (Icon::Pending, Tone::Pending),
            StatusKind::Enacted => (Icon::Enacted, Tone::Enacted),
            StatusKind::Failed => (Icon::Failed, Tone::Failed),
            StatusKind::Stopped => (Icon::Veto, Tone::Veto),
            StatusKind::Claimed => (Icon::Claimed, Tone::Claimed),
            StatusKind::Disputed => (Icon::Disputed, Tone::Disputed),
            StatusKind::Asleep => (Icon::Sleep, Tone::Claimed),
            StatusKind::Void => (Icon::None, Tone::None),
        };
        let word = crate::ui::html::escape(&self.word);
        write!(f, r#"<span class="status {tone}">{icon}{word}</span>"#)
    }
}

writes_html!(Icon, Tone, Mark, Status);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_escapes_the_word_it_was_given() {
        let html = Icon::Key.called("a \"b\" <c>").to_string();
        assert!(html.contains("a &#34;b&#34; &#60;c&#62;"), "{html}");
    }

    #[test]
    fn every_icon_is_drawn_in_the_sprite() {
        for icon in [
            Icon::For,
            Icon::Other,
            Icon::Sleep,
            Icon::Chat,
            Icon::Door,
            Icon::Star,
        ] {
            assert!(crate::ui::assets::SPRITE.contains(&format!("id=\"i-{}\"", icon.id())));
        }
    }
}
