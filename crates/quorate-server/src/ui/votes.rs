//! The votes on a matter, each with how it was reached.

use crate::ui::chrome::Fact;
use crate::ui::mark::{Ballot, Icon, Tone};
use crate::ui::person::Person;
use crate::ui::time::When;
use crate::ui::urls::Href;
use crate::ui::vote::{Gauge, Tally};

/// While a post can still be edited.
#[derive(Clone, Debug)]
pub struct EditWindow {
    /// The form.
    pub href: Href,
    /// When it closes; nothing where time alone does not close it.
    pub until: Option<When>,
}

/// What would still change the result.
#[derive(Clone, Debug)]
pub struct If {
    /// Drawn before it.
    pub icon: Icon,
    /// Its colour.
    pub tone: Tone,
    /// "Ostrow votes FOR:".
    pub lead: String,
    /// "Hesper and Pell follow, 7–2, passes."
    pub text: String,
}

/// Somebody's effective vote.
#[derive(Clone, Debug)]
pub struct VoteLine {
    /// Whose.
    pub person: Person,
    /// What it counts as.
    pub vote: Option<Ballot>,
    /// "own, 12:20; was AGAINST", "follows Ostrow, who has not voted: counts for nothing".
    pub how: String,
    /// The comment with which they cast it.
    pub comment: Option<Href>,
    /// Cast, but without effect: of somebody idle.
    pub is_void: bool,
}

/// How the vote stands under the law of the page's moment.
#[derive(Clone, Debug)]
pub struct Votes {
    /// "law of 13 May".
    pub law: String,
    /// Each side's count.
    pub tally: Tally,
    /// How many have not voted.
    pub silent: u32,
    /// The votes as bars.
    pub gauge: Gauge,
    /// Enacted at the earliest, failed at the earliest, by time alone.
    pub facts: Vec<Fact>,
    /// What would still change it.
    pub ifs: Vec<If>,
    /// "11 count".
    pub counted: String,
    /// Each vote.
    pub lines: Vec<VoteLine>,
}
