//! Who and what: identifiers that are the same in every line of a game's history.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::name::Name;

/// The number of an event in its game's log. The founding is number 1; 0 stands for "before the first".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventSeq(pub u64);

impl EventSeq {
    /// The number of the event after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for EventSeq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for EventSeq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Where a thing came from: the event that made it and its ordinal among what that event made.
///
/// Made of these two and never of a counter, an id is the same when history is judged again from an earlier point.
/// Ids order as things came to be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(u64);

/// How many bits of an [`Id`] hold the ordinal.
const ORDINAL_BITS: u32 = 16;

impl Id {
    /// The `ordinal`-th thing that event `seq` made.
    pub fn new(seq: EventSeq, ordinal: u16) -> Self {
        assert!(
            seq.0 < 1 << (64 - ORDINAL_BITS),
            "a log ends long before its event numbers fill 48 bits"
        );
        Self(seq.0 << ORDINAL_BITS | u64::from(ordinal))
    }

    /// The event that made the thing.
    pub fn event(self) -> EventSeq {
        EventSeq(self.0 >> ORDINAL_BITS)
    }

    /// The thing's place among what its event made, from 0.
    pub fn ordinal(self) -> u16 {
        (self.0 & ((1 << ORDINAL_BITS) - 1)) as u16
    }
}

impl fmt::Display for Id {
    /// As in addresses: `12` for the first thing of event 12, `12-3` for its fourth.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ordinal() {
            0 => write!(f, "{}", self.event()),
            n => write!(f, "{}-{n}", self.event()),
        }
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that should have been an id and is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no id: write it as 12 or 12-3")]
pub struct NoId(pub String);

impl FromStr for Id {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let no_id = || NoId(text.to_owned());
        let (event, ordinal) = match text.split_once('-') {
            Some((event, ordinal)) => (event, ordinal.parse().map_err(|_| no_id())?),
            None => (text, 0),
        };
        let event: u64 = event.parse().map_err(|_| no_id())?;
        if event >= 1 << (64 - ORDINAL_BITS) {
            return Err(no_id());
        }
        Ok(Self::new(EventSeq(event), ordinal))
    }
}

macro_rules! id_of {
    ($(#[$doc:meta] $name:ident),+ $(,)?) => {$(
        #[$doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Id);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = NoId;

            fn from_str(text: &str) -> Result<Self, NoId> {
                text.parse().map(Self)
            }
        }
    )+};
}

id_of! {
    /// A person on a game's roster, whatever their standing.
    PlayerId,
    /// A thing that play made: a crate, a monster, a bomb.
    EntityId,
    /// A post on the game's blog.
    PostId,
    /// A comment, unique in its game; the post it stands under is part of its key.
    CommentId,
    /// A question that somebody else than the one who acts must answer.
    DutyId,
    /// A change that a player made by hand, resting on a rule's prose.
    ClaimId,
    /// A private message.
    MessageId,
}

/// A game on its server: the word in its address, of lower-case letters, digits and hyphens.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(Name);

/// A text that cannot be a game's word in an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" cannot name a game: use 1 to 64 lower-case letters, digits and hyphens")]
pub struct NoGameId(pub String);

impl GameId {
    /// The word itself.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for GameId {
    type Err = NoGameId;

    fn from_str(text: &str) -> Result<Self, NoGameId> {
        let fits = (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-');
        if fits {
            Ok(Self(Name::from(text)))
        } else {
            Err(NoGameId(text.to_owned()))
        }
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_from_its_text() {
        for id in [
            Id::new(EventSeq(12), 0),
            Id::new(EventSeq(12), 3),
            Id::new(EventSeq(1), 65_535),
        ] {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert!("12-70000".parse::<Id>().is_err());
        assert!("281474976710656".parse::<Id>().is_err());
        assert!("".parse::<Id>().is_err());
    }

    #[test]
    fn ids_order_as_things_came_to_be() {
        assert!(Id::new(EventSeq(2), 9) < Id::new(EventSeq(3), 0));
        assert!(Id::new(EventSeq(3), 0) < Id::new(EventSeq(3), 1));
    }

    #[test]
    fn a_game_is_named_by_a_plain_word() {
        assert!("hordes-22".parse::<GameId>().is_ok());
        for bad in ["", "Hordes", "a b", "-a", "a-", "../x"] {
            assert!(bad.parse::<GameId>().is_err(), "{bad:?}");
        }
    }
}
