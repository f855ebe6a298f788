//! Pages: one struct each, which has decided, and one template each, which places.
//!
//! [`every_sample`] renders each page with each of its samples; the tests walk that list, so a page without samples does not
//! compile, and a page that is not in the list is not tested. There is one list.

mod account;
mod act;
mod board;
mod chrome;
mod compose;
mod desk;
mod error;
mod front;
mod help;
mod home;
mod law;
mod log;
mod messages;
mod operator;
mod people;
mod post;
mod ruleset;
mod settings;
mod tracker;

use askama::Template;

pub use account::FormPage;
pub use act::{Act, Closed, Outcome, Question, Sheet};
pub use board::{BoardPage, Moves, Tab};
pub use chrome::{Banner, Chrome, Fact, GameFrame, Link, Reader, Section, Theme};
pub use compose::{ClauseEdit, Compose, Kind, RuleOfForm, Writing};
pub use desk::{Desk, DeskItem, DeskQueue, DoorLine};
pub use error::{ErrorPage, RefusalPage};
pub use front::{Day, Front, Pin, Roster, Welcome};
pub use help::{Help, Privacy};
pub use home::{GameCard, Home};
pub use law::{Block, BlockKind, Branch, LawPage, Place, There};
pub use log::{Charts, EffectRow, EventPage, LogLine, LogPage, Past, Ruling, RulingRow};
pub use messages::{Letter, Messages, Thread, ThreadLine};
pub use operator::{Operator, OperatorLine};
pub use people::{Dynasties, DynastyLine, DynastyPage, PlayerPage, Players, PledgeTold, Voted};
pub use post::{
    Answering, EditWindow, Effect, EffectGroup, Effects, EffectsPage, If, Post, VoteLine, Votes,
};
pub use ruleset::{
    Beside, BlameLine, Clause, Compare, Hit, RuleHistory, RuleText, Ruleset, RulesetPart, Search,
    TocRule, VersionLine,
};
pub use settings::{Settings, SettingsBlock, SettingsLine};
pub use tracker::{DiceLine, Look as LookAgain, Tracker};

/// A page filled with invented data, under a name that says what is special about it.
pub struct Sample<P> {
    /// "stranger", "with an error".
    pub name: &'static str,
    /// The page.
    pub page: P,
}

/// Pages that bring samples of themselves.
pub trait Samples: Template + Sized {
    /// At least one; one for each shape that the page can take.
    fn samples() -> Vec<Sample<Self>>;
}

/// A sample as HTML.
pub struct Rendered {
    /// "post, stranger": for test messages and file names.
    pub name: String,
    /// The whole page.
    pub html: String,
}

macro_rules! register_pages {
    ($($name:literal => $page:ty),+ $(,)?) => {
        /// Renders every sample of every page.
        ///
        /// # Errors
        ///
        /// A template that fails to render fails the walk.
        pub fn every_sample() -> askama::Result<Vec<Rendered>> {
            let mut all = Vec::new();
            $(
                for sample in <$page as Samples>::samples() {
                    let name = format!("{}, {}", $name, sample.name);
                    all.push(Rendered { name, html: sample.page.render()? });
                }
            )+
            Ok(all)
        }
    };
}

register_pages! {
    "home" => Home,
    "front" => Front,
    "compose" => Compose,
    "post" => Post,
    "effects" => EffectsPage,
    "ruleset" => Ruleset,
    "rule history" => RuleHistory,
    "compare" => Compare,
    "search" => Search,
    "tracker" => Tracker,
    "act" => Act,
    "board" => BoardPage,
    "law page" => LawPage,
    "desk" => Desk,
    "players" => Players,
    "player" => PlayerPage,
    "dynasties" => Dynasties,
    "dynasty" => DynastyPage,
    "log" => LogPage,
    "event" => EventPage,
    "ruling" => Ruling,
    "charts" => Charts,
    "messages" => Messages,
    "thread" => Thread,
    "settings" => Settings,
    "form page" => FormPage,
    "help" => Help,
    "privacy" => Privacy,
    "error" => ErrorPage,
    "refusal" => RefusalPage,
    "operator" => Operator,
}
