//! A game's front page: the blog and where the game stands.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Chrome, Die, Entry, Fact, Fresh, Gauge, Link, Needs, Person, Role, Tally};

/// A post that stays on top.
#[derive(Clone, Debug)]
pub struct Pin {
    /// Its title.
    pub title: String,
    /// Its page.
    pub href: Href,
    /// "Ostrow · 9 days ago · 14 comments".
    pub note: String,
}

/// The posts of a day.
#[derive(Clone, Debug)]
pub struct Day {
    /// "Today, Friday 14 May".
    pub title: String,
    /// Newest first.
    pub entries: Vec<Entry>,
}

/// Who is in the game.
#[derive(Clone, Debug)]
pub struct Roster {
    /// The theme's word for players.
    pub title: String,
    /// "11 active, 4 idle".
    pub count: String,
    /// The emperor first, then by name.
    pub active: Vec<Person>,
    /// By name.
    pub idle: Vec<Person>,
    /// The signs that occur, with their words.
    pub key: Vec<Role>,
}

/// A word to those who do not play, or not now.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// "New here?"
    pub title: String,
    /// What this is, or how they stand.
    pub text: String,
    /// Where to go, the likeliest first.
    pub ways: Vec<Link>,
}

/// A picture of how the game goes.
#[derive(Clone, Debug)]
pub struct StoryStep {
    /// "Kofi proposed “Wakes”".
    pub title: String,
    /// Where it is told whole.
    pub href: Href,
    /// The votes.
    pub votes: Option<(Gauge, Tally)>,
    /// What fell.
    pub dice: Vec<Die>,
    /// What it did: "Mei Hats 2 → 3".
    pub text: String,
    /// Words that it brought into the rules.
    pub added: String,
}

impl StoryStep {
    /// One with nothing but its title.
    pub fn new(title: String, href: Href) -> Self {
        Self {
            title,
            href,
            votes: None,
            dice: Vec::new(),
            text: String::new(),
            added: String::new(),
        }
    }
}

/// A game's front page.
#[derive(Clone, Debug, Template)]
#[template(path = "site/blog/blog.html")]
pub struct Front {
    /// Around it.
    pub chrome: Chrome,
    /// What waits for the reader; nothing for strangers.
    pub needs: Option<Needs>,
    /// For those who do not play, or not now: what this is, and the way in.
    pub welcome: Option<Welcome>,
    /// How the game goes, in three pictures, for those who do not play.
    pub story: Vec<StoryStep>,
    /// How many posts have something new, and the button that marks all of them as seen.
    pub fresh: Option<Fresh>,
    /// Posts that stay on top.
    pub pinned: Vec<Pin>,
    /// All, or one category; the chosen one has no address of its own need.
    pub filters: Vec<(Link, bool)>,
    /// Posts by day, newest first.
    pub days: Vec<Day>,
    /// Where to write.
    pub write: Option<Href>,
    /// Older posts.
    pub older: Option<Href>,
    /// Newer posts, on any page but the first.
    pub newer: Option<Href>,
    /// Quorum, calendar, what is pending.
    pub facts: Vec<Fact>,
    /// Who is in the game.
    pub roster: Roster,
    /// The dynasty before, in two sentences.
    pub last_dynasty: Option<(String, Link)>,
}
