//! What the reader can do: now, later, not.

use askama::Template;

use super::{Chrome, Fact, Link};
use crate::parts::{Choice, Cite, Die, Offer, Refusal, Send, When};

/// A question that waits for the reader: in the middle of an action of their own, or left to them by somebody else's.
#[derive(Clone, Debug)]
pub struct Question {
    /// The element's id.
    pub id: String,
    /// What happened before: dice that have fallen.
    pub dice: Vec<Die>,
    /// "Your crate dropper came down on C8".
    pub lead: String,
    /// ", which is empty. Place the Crate there?"
    pub text: String,
    /// Where the answer goes.
    pub send: Send,
    /// What can be answered. Up to four are buttons, more are a list.
    pub options: Vec<Choice>,
    /// What no answer means: "lets it go".
    pub default: String,
    /// When no answer becomes the answer.
    pub due: Option<When>,
    /// The clause that asks.
    pub cite: Option<Cite>,
}

/// How something ended that the reader did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// When.
    pub when: When,
    /// "Shove".
    pub what: String,
    /// Dice that fell in it.
    pub dice: Vec<Die>,
    /// "Pell onto F8. +1 Frag", "AP 3 → 2".
    pub text: String,
    /// The event, with its undo.
    pub event: Option<Link>,
}

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

/// What the reader can do.
#[derive(Clone, Debug, Template)]
#[template(path = "act.html")]
pub struct Act {
    /// Around it.
    pub chrome: Chrome,
    /// The reader's name.
    pub who: String,
    /// The same on a board.
    pub board: Option<Link>,
    /// How the last thing ended, just now.
    pub just_now: Option<Outcome>,
    /// Why the last thing was not done.
    pub refusal: Option<Refusal>,
    /// What waits for an answer, nearest deadline first.
    pub questions: Vec<Question>,
    /// Offers that are open.
    pub now: Vec<Offer>,
    /// Offers that the clock opens.
    pub later: Vec<Offer>,
    /// Offers that something has to change for.
    pub not: Vec<Offer>,
    /// The reader's own values.
    pub sheet: Option<Sheet>,
    /// Latest first.
    pub results: Vec<Outcome>,
    /// All of them.
    pub all_results: Link,
}
