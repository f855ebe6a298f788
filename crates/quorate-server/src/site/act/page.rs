//! What the reader can do: now, later, not.

use askama::Template;

use crate::requests::filled::GIVE_UP;
use crate::ui::{
    Choice, Chrome, Cite, Die, Effect, Form, Link, Offer, Outcome, Refusal, Send, Sheet, When,
};

/// A question that waits for the reader: in the middle of an action of their own, or left to them by somebody else's.
#[derive(Clone, Debug)]
pub struct OpenQuestion {
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
    /// Whether the action that asks can be given up instead.
    pub may_give_up: bool,
    /// What no answer means: "lets it go".
    pub default: String,
    /// When no answer becomes the answer.
    pub due: Option<When>,
    /// The clause that asks.
    pub cite: Option<Cite>,
}

/// What an action would do, as its form is filled in.
#[derive(Clone, Debug)]
pub struct ActTrial {
    /// "Post the Ascension Address".
    pub title: String,
    /// The gravest first.
    pub lines: Vec<Effect>,
}

/// Offers that are closed for one and the same reason.
#[derive(Clone, Debug)]
pub struct Closed {
    /// "Only admins can do this."
    pub reason: String,
    /// In their order.
    pub offers: Vec<Offer>,
}

/// How many reasons stand in sight under "Not now"; the others are one click away.
const NEAR: usize = 3;

impl ActPage {
    /// How many offers are open.
    fn possible(&self) -> usize {
        self.now.iter().map(|topic| topic.offers.len()).sum()
    }

    /// How many of the reasons for what is not possible stand in sight: all where folding would save a single one.
    fn near_count(&self) -> usize {
        if self.not.len() > NEAR + 1 {
            NEAR
        } else {
            self.not.len()
        }
    }

    /// The reasons that stand in sight.
    fn near(&self) -> &[Closed] {
        &self.not[..self.near_count()]
    }

    /// Those that are one click away.
    fn folded(&self) -> &[Closed] {
        &self.not[self.near_count()..]
    }

    /// How many actions that click shows.
    fn folded_count(&self) -> usize {
        self.folded().iter().map(|closed| closed.offers.len()).sum()
    }
}

impl Closed {
    /// Offers by their reasons, those that many share last.
    pub fn by_reason(offers: Vec<Offer>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for offer in offers {
            let no = offer.open.as_ref().err();
            let reason = no.map(Refusal::reason).unwrap_or_default();
            match found.iter_mut().find(|known| known.reason == reason) {
                Some(known) => known.offers.push(offer),
                None => found.push(Self {
                    reason,
                    offers: vec![offer],
                }),
            }
        }
        found.sort_by_key(Self::is_folded);
        found
    }

    /// Whether there are so many that they stand folded under their reason.
    fn is_folded(&self) -> bool {
        self.offers.len() > 2
    }
}

/// Offers of one topic: those that are likely next, or those of a rule.
#[derive(Clone, Debug)]
pub struct ActTopic {
    /// The element's id.
    pub id: String,
    /// "Likely next", "Zombies".
    pub title: String,
    /// In the law's order.
    pub offers: Vec<Offer>,
    /// Whether their forms stand in sight; else those with something to fill in are folded under their titles.
    pub is_open: bool,
}

impl ActTopic {
    fn folds(&self, offer: &Offer) -> bool {
        let has_fields = |form: &Form| !form.fields.is_empty();
        !self.is_open && offer.open.as_ref().is_ok_and(has_fields)
    }
}

/// What the reader can do.
#[derive(Clone, Debug, Template)]
#[template(path = "site/act/act.html")]
pub struct ActPage {
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
    /// What the form that stands first would do, where that was asked.
    pub trial: Option<ActTrial>,
    /// What waits for an answer, nearest deadline first.
    pub questions: Vec<OpenQuestion>,
    /// Offers that are open, those that are likely next before the others.
    pub now: Vec<ActTopic>,
    /// Offers that the clock opens.
    pub later: Vec<Offer>,
    /// Offers that something has to change for, by what that is.
    pub not: Vec<Closed>,
    /// The reader's own values.
    pub sheet: Option<Sheet>,
    /// Latest first.
    pub results: Vec<Outcome>,
    /// All of them.
    pub all_results: Link,
}
