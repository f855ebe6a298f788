//! A post: the matter, how it stands, each vote and how it was reached, comments.

use askama::Template;

use crate::ui::markup::Markup;
use crate::ui::urls::Href;
use crate::ui::votes::{EditWindow, Votes};
use crate::ui::{
    Ballot, Change, Chrome, Comment, Effects, Fact, Follow, Link, Offer, Person, QuickVote,
    Refusal, Send, Status, Verdict, When,
};

/// The form for a comment with or without a vote.
#[derive(Clone, Debug)]
pub struct Answering {
    /// The word of its draft.
    pub draft: String,
    /// Where it is kept as a draft, where its draft is deleted, and where a picture is put into it.
    pub keeps: (Href, Href, Href),
    /// When it was written, where a draft is shown.
    pub kept: Option<When>,
    /// Where it goes.
    pub send: Send,
    /// The sides that the reader may take, and which one is chosen; empty where only a comment is possible.
    pub sides: Vec<(Ballot, bool)>,
    /// Text that was typed already.
    pub text: String,
    /// "With FOR: 5 of 6. VETO belongs to the Overlord."
    pub hint: String,
    /// What was wrong with the last try.
    pub refusal: Option<Refusal>,
}

/// A post.
#[derive(Clone, Debug, Template)]
#[template(path = "site/post/post.html")]
pub struct PostPage {
    /// Around it.
    pub chrome: Chrome,
    /// The list that it belongs to.
    pub crumbs: Vec<Link>,
    /// Its title.
    pub title: String,
    /// "Proposal".
    pub category: String,
    /// Who wrote it.
    pub author: Person,
    /// Its event in the log, where its words can be taken out.
    pub event: Option<Href>,
    /// Where the operator is told of it, for whoever is signed in.
    pub report: Option<Href>,
    /// When.
    pub when: When,
    /// When it was last edited, and the way to its versions.
    pub edited: Option<(When, Href)>,
    /// What has become of it; stories have no status.
    pub status: Option<Status>,
    /// "third in the queue", "enacted by Quill, Thu 13 May, 20:04 UTC".
    pub place: String,
    /// Tags and fields that the category declares.
    pub fields: Vec<Fact>,
    /// While it can be edited.
    pub edit: Option<EditWindow>,
    /// A proposal that begins with this one's text and changes.
    pub again: Option<Href>,
    /// What it says; headings in it are of level 2.
    pub body: Markup,
    /// Its flavour text.
    pub flavour: Option<Markup>,
    /// "1 clause, 1 value".
    pub change_note: String,
    /// The short digest of the changes.
    pub digest: Option<String>,
    /// What it changes.
    pub changes: Vec<Change>,
    /// What it would do today.
    pub effects: Option<Effects>,
    /// What the tally of an open matter comes to.
    pub verdict: Option<Verdict>,
    /// The reader's vote by one click.
    pub quick: Option<QuickVote>,
    /// The next matter without the reader's vote, and how many there are.
    pub next: Option<(Link, usize)>,
    /// How the vote stands; posts that are not voted on have none.
    pub votes: Option<Votes>,
    /// What the reader may do with the post itself: enact, withdraw, move.
    pub offers: Vec<Offer>,
    /// Oldest first, those of one page.
    pub comments: Vec<Comment>,
    /// How many there are on all pages.
    pub comment_count: usize,
    /// The pages by their numbers, where there are several; the one that is shown leads nowhere.
    pub comment_pages: Vec<(String, Option<Href>)>,
    /// Ways through many comments: newest, votes, mine.
    pub jumps: Vec<Link>,
    /// The form for one more; nothing where the reader may not.
    pub answering: Option<Answering>,
    /// Why there is no form: signed out, closed.
    pub no_answer: Option<(String, Option<Link>)>,
    /// Whether to hear of it.
    pub follow: Option<Follow>,
}
