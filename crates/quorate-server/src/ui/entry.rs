//! Posts in a list, comments under one, and what waits for the reader.

use askama::Template;

use crate::ui::html::writes_html;
use crate::ui::mark::{Ballot, Icon};
use crate::ui::markup::Markup;
use crate::ui::person::Person;
use crate::ui::quick::QuickVote;
use crate::ui::time::When;
use crate::ui::urls::Href;
use crate::ui::vote::Verdict;

/// A post on the front page or in a list of posts.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/entry.html")]
pub struct Entry {
    /// The element's id, for the live page.
    pub id: String,
    /// "Proposal", "Story"; the law's own word.
    pub category: String,
    /// Who wrote it, or that this is hidden.
    pub author: Person,
    /// When it was posted.
    pub when: When,
    /// "9 comments".
    pub comments: String,
    /// Its title.
    pub title: String,
    /// Its page.
    pub href: Href,
    /// Its first words, or all of a short text.
    pub excerpt: Option<Markup>,
    /// How it stands; posts without a vote have none.
    pub verdict: Option<Verdict>,
    /// What is new about it to the reader: "new", "3 new comments".
    pub fresh: Option<String>,
    /// The reader's vote by one click, where they may vote.
    pub quick: Option<QuickVote>,
    /// Closed matters are set smaller.
    pub is_closed: bool,
}

/// A comment, with the vote that it carries in the gutter.
#[derive(Clone, Debug, Template)]
#[template(path = "ui/comment.html")]
pub struct Comment {
    /// The element's id and fragment: "c9".
    pub id: String,
    /// Who wrote it.
    pub author: Person,
    /// When.
    pub when: When,
    /// The vote that it casts.
    pub vote: Option<Ballot>,
    /// What is to be known about that vote: "changed from AGAINST", "cast by Juno, rule 17.5".
    pub note: Option<String>,
    /// Whether it is new to the reader.
    pub is_fresh: bool,
    /// Where the reader answers it, its words quoted.
    pub reply: Option<Href>,
    /// Whether a later vote has taken its place.
    pub is_superseded: bool,
    /// Its event in the log, where its words can be taken out.
    pub event: Option<Href>,
    /// What it says; a bare vote says nothing.
    pub body: Option<Markup>,
}

/// One thing that waits for the reader.
#[derive(Clone, Debug)]
pub struct NeedsLine {
    /// What kind of thing: a clock for a vote, a question mark for a choice, a bolt for an action, a key for the desk.
    pub icon: Icon,
    /// The thing, as the words of its link.
    pub title: String,
    /// Where to do it.
    pub href: Href,
    /// Words after the link: "is possible again".
    pub after: String,
    /// Why it waits, and till when.
    pub note: String,
    /// The deadline, where there is one.
    pub due: Option<When>,
}

/// What waits for the reader; the only block that lies on the highlighter.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "ui/needs.html")]
pub struct Needs {
    /// Nearest deadline first.
    pub lines: Vec<NeedsLine>,
}

writes_html!(Entry, Comment, Needs);
