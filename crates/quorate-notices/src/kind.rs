//! The kinds of notices, and how soon each is told.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a notice is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum NoticeKind {
    /// A matter is open and the reader has not voted.
    VoteWanted,
    /// A matter can be closed by an office of the reader's.
    CanClose,
    /// A matter was closed.
    Closed,
    /// The rules ask something of the reader.
    YourMove,
    /// A question was left to the reader.
    Question,
    /// A question of the reader's falls due soon.
    DueSoon,
    /// Somebody named the reader.
    Mentioned,
    /// Somebody commented on the reader's post.
    Answered,
    /// Somebody else's action changed something of the reader's.
    Touched,
    /// A private message came, from a player or from a rule.
    Message,
    /// A change that the reader recorded by hand is disputed.
    Disputed,
    /// Somebody asks to join.
    AsksToJoin,
    /// A dynasty ended and another began.
    DynastyEnded,
    /// A rule that the reader follows changed.
    RuleChanged,
    /// Something new of a post or a person that the reader follows.
    Followed,
    /// Something was posted; told to rooms alone.
    Posted,
}

/// What a kind is called and how it is told unless its reader says otherwise.
struct KindFacts {
    kind: NoticeKind,
    word: &'static str,
    title: &'static str,
    pace: Pace,
}

use NoticeKind as K;

/// All kinds, in the order in which pages list them.
const FACTS: [KindFacts; 16] = [
    facts(
        K::VoteWanted,
        "vote-wanted",
        "Your vote is wanted",
        Pace::AtOnce,
    ),
    facts(
        K::Question,
        "question",
        "A question waits for you",
        Pace::AtOnce,
    ),
    facts(
        K::DueSoon,
        "due-soon",
        "A question for you runs out soon",
        Pace::AtOnce,
    ),
    facts(
        K::YourMove,
        "your-move",
        "The rules ask something of you",
        Pace::AtOnce,
    ),
    facts(
        K::CanClose,
        "can-close",
        "You can close a matter",
        Pace::AtOnce,
    ),
    facts(
        K::AsksToJoin,
        "asks-to-join",
        "Somebody asks to join, if you are an admin",
        Pace::AtOnce,
    ),
    facts(
        K::Disputed,
        "disputed",
        "A change that you recorded is disputed",
        Pace::AtOnce,
    ),
    facts(
        K::Message,
        "message",
        "A private message, from a player or a rule",
        Pace::AtOnce,
    ),
    facts(
        K::Mentioned,
        "mentioned",
        "Somebody names you with @",
        Pace::AtOnce,
    ),
    facts(
        K::Answered,
        "answered",
        "A comment on a post of yours",
        Pace::Daily,
    ),
    facts(
        K::Touched,
        "touched",
        "Another player changed something of yours",
        Pace::Daily,
    ),
    facts(K::Closed, "closed", "A matter was closed", Pace::Daily),
    facts(
        K::DynastyEnded,
        "dynasty-ended",
        "A dynasty ended",
        Pace::Daily,
    ),
    facts(
        K::RuleChanged,
        "rule-changed",
        "A rule that you follow changed",
        Pace::Daily,
    ),
    facts(
        K::Followed,
        "followed",
        "News from a post or player you follow",
        Pace::Daily,
    ),
    facts(K::Posted, "posted", "Something was posted", Pace::AtOnce),
];

const fn facts(kind: NoticeKind, word: &'static str, title: &'static str, pace: Pace) -> KindFacts {
    KindFacts {
        kind,
        word,
        title,
        pace,
    }
}

impl NoticeKind {
    /// All kinds, in the order in which pages list them.
    pub fn all() -> impl Iterator<Item = Self> {
        FACTS.iter().map(|facts| facts.kind)
    }

    /// Those that a reader can get, in the same order: what is only told to rooms is not among them.
    pub fn of_readers() -> impl Iterator<Item = Self> {
        Self::all().filter(|kind| *kind != K::Posted)
    }

    /// Those that a room can get: news that is for everybody.
    pub fn of_rooms() -> [Self; 5] {
        [
            K::Posted,
            K::Closed,
            K::AsksToJoin,
            K::DynastyEnded,
            K::RuleChanged,
        ]
    }

    fn facts(self) -> &'static KindFacts {
        FACTS
            .iter()
            .find(|facts| facts.kind == self)
            .expect("each kind has its line, as a test checks")
    }

    /// The word for it in addresses and in the store.
    pub fn word(self) -> &'static str {
        self.facts().word
    }

    /// What pages call it.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// How it is told unless its reader says otherwise.
    pub fn usual_pace(self) -> Pace {
        self.facts().pace
    }

    /// Whether it is about a moment that comes, so that it cannot wait for a digest.
    pub fn cannot_wait(self) -> bool {
        self == K::DueSoon
    }
}

impl fmt::Display for NoticeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that names nothing here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" names no kind of notice")]
pub struct NoSuchWord(pub String);

impl FromStr for NoticeKind {
    type Err = NoSuchWord;

    fn from_str(text: &str) -> Result<Self, NoSuchWord> {
        let found = FACTS.iter().find(|facts| facts.word == text);
        found
            .map(|facts| facts.kind)
            .ok_or_else(|| NoSuchWord(text.to_owned()))
    }
}

/// How soon something is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pace {
    /// At once, unless it is quiet then.
    AtOnce,
    /// Together with all else of a day, at the reader's hour.
    Daily,
    /// Together with all else of a week, at the reader's hour of the reader's day.
    Weekly,
    /// Not at all.
    Off,
}

impl Pace {
    /// All of them, the soonest first.
    pub const ALL: [Self; 4] = [Self::AtOnce, Self::Daily, Self::Weekly, Self::Off];

    /// The word for it in forms and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::AtOnce => "at-once",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Off => "off",
        }
    }

    /// What pages call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::AtOnce => "At once",
            Self::Daily => "Daily",
            Self::Weekly => "Weekly",
            Self::Off => "Not at all",
        }
    }
}

impl FromStr for Pace {
    type Err = NoSuchWord;

    fn from_str(text: &str) -> Result<Self, NoSuchWord> {
        let found = Self::ALL.into_iter().find(|pace| pace.word() == text);
        found.ok_or_else(|| NoSuchWord(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn words_lead_back_to_their_kinds() {
        let mut words = BTreeSet::new();
        for kind in NoticeKind::all() {
            assert_eq!(kind.word().parse(), Ok(kind));
            assert!(words.insert(kind.word()));
        }
        assert!("".parse::<NoticeKind>().is_err());
        for pace in Pace::ALL {
            assert_eq!(pace.word().parse(), Ok(pace));
        }
    }
}
