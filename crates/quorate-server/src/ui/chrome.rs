//! What stands around every page.

use crate::ui::bar::Bar;
use crate::ui::mark::Icon;
use crate::ui::time::When;
use crate::ui::urls::Href;

/// The reader's wish for light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// A link with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The words.
    pub title: String,
    /// The place.
    pub href: Href,
}

impl Link {
    /// Those words, leading there.
    pub fn new(title: impl Into<String>, href: impl Into<Href>) -> Self {
        Self {
            title: title.into(),
            href: href.into(),
        }
    }
}

/// Who reads, where somebody is signed in.
#[derive(Clone, Debug)]
pub struct Reader {
    /// The account's name, or the player's in this game.
    pub name: String,
    /// Unread private messages, and where they are.
    pub mail: Option<(usize, Href)>,
}

/// A section of a game in the strip under its name.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its word.
    pub title: String,
    /// Its page.
    pub href: Href,
    /// Whether the page is it.
    pub is_current: bool,
    /// How many things wait there for the reader.
    pub waiting: usize,
    /// How many things there are new to the reader.
    pub fresh: usize,
    /// Set apart at the end of the strip: the desk.
    pub is_apart: bool,
}

/// A notice that stands while a state lasts: hiatus, downtime, dormancy, an open question.
#[derive(Clone, Debug)]
pub struct Banner {
    /// A clock, a moon, a star.
    pub icon: Icon,
    /// Its first words: "Hiatus."
    pub lead: String,
    /// What it means, and what goes on all the same.
    pub text: String,
    /// When it ends, where that is known.
    pub until: Option<When>,
    /// Where it comes from.
    pub more: Option<Link>,
}

/// The game around a page.
#[derive(Clone, Debug)]
pub struct GameFrame {
    /// Its name.
    pub name: String,
    /// Its front page.
    pub href: Href,
    /// "Second Dynasty of Ostrow".
    pub line: String,
    /// The dynasty's theme in a sentence.
    pub motto: Option<String>,
    /// The sections that this game and this reader have.
    pub sections: Vec<Section>,
    /// What is special now.
    pub banners: Vec<Banner>,
    /// "Law of 13 May, 20:04 UTC, version 41".
    pub law: String,
    /// The live stream; pages of the past have none.
    pub stream: Option<Href>,
    /// The ruleset.
    pub rules: Href,
    /// The feed of what the page shows; of posts, where it has none of its own.
    pub feed: Href,
    /// Where `/` leads when the page has no search of its own.
    pub search: Href,
}

/// Everything around the main part.
#[derive(Clone, Debug)]
pub struct Chrome {
    /// The page's title, without the game's name.
    pub title: String,
    /// Light, dark, or as the system has it.
    pub theme: Theme,
    /// Whether single keys act; some readers' own tools need those keys.
    pub has_keys: bool,
    /// The moment at which the page was made.
    pub now: When,
    /// Who reads.
    pub reader: Option<Reader>,
    /// The game, on pages of one.
    pub game: Option<GameFrame>,
    /// What has just been done: "Your vote is in: 5 FOR of 6."
    pub notice: Option<String>,
}

impl Chrome {
    /// The same on a page that has a feed of its own.
    #[must_use]
    pub(crate) fn with_feed(mut self, feed: impl Into<Href>) -> Self {
        if let Some(game) = &mut self.game {
            game.feed = feed.into();
        }
        self
    }

    pub(crate) fn full_title(&self) -> String {
        match &self.game {
            Some(game) if game.name == self.title => game.name.clone(),
            Some(game) => format!("{} · {}", self.title, game.name),
            None => format!("{} · Quorate", self.title),
        }
    }

    pub(crate) fn html_attributes(&self) -> String {
        let theme = match self.theme {
            Theme::System => "",
            Theme::Light => r#" data-theme="light""#,
            Theme::Dark => r#" data-theme="dark""#,
        };
        format!(r#"{theme} data-now="{}""#, self.now.millisecond())
    }

    pub(crate) fn body_attributes(&self) -> String {
        let stream = self.game.as_ref().and_then(|game| game.stream.as_ref());
        let stream = stream
            .map(|href| format!(r#" data-stream="{href}""#))
            .unwrap_or_default();
        let keys = if self.has_keys {
            ""
        } else {
            r#" data-keys="off""#
        };
        format!("{stream}{keys}")
    }
}

/// A figure with its name: quorum, the calendar, what a player holds.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Its name.
    pub term: String,
    /// The figure; where it is empty, the moment is the figure.
    pub value: String,
    /// What it rests on or when it changes.
    pub note: Option<String>,
    /// The moment that the note speaks of.
    pub due: Option<When>,
    /// Its history.
    pub href: Option<Href>,
    /// The share of a whole that the figure tells.
    pub bar: Option<Bar>,
}

impl Fact {
    /// A figure that needs no note.
    pub fn new(term: impl Into<String>, value: impl Into<String>) -> Self {
        let value = value.into();
        Self {
            term: term.into(),
            bar: Bar::parse(&value),
            value,
            note: None,
            due: None,
            href: None,
        }
    }

    /// The same figure with a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The same figure with a moment.
    #[must_use]
    pub fn due(mut self, due: When) -> Self {
        self.due = Some(due);
        self
    }

    /// The same figure, leading somewhere.
    #[must_use]
    pub fn to(mut self, href: impl Into<Href>) -> Self {
        self.href = Some(href.into());
        self
    }
}
