//! What a tracked value can hold, and what it can point at.

use std::fmt;
use std::sync::Arc;

use crate::ids::{CommentId, EntityId, PlayerId, PostId};
use crate::name::Name;
use crate::picture::Picture;
use crate::seal::{Salt, Sealed};
use crate::time::{Moment, Span};

/// Something that has attributes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Thing {
    /// The game itself, of which there is one.
    Game,
    /// A person on the roster.
    Player(PlayerId),
    /// A thing that play made.
    Entity(EntityId),
    /// A post.
    Post(PostId),
    /// A comment under a post.
    Comment(PostId, CommentId),
    /// A row of a table that the law states.
    Row(Arc<RowKey>),
    /// A rule.
    Rule(Name),
}

/// Which row of which table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RowKey {
    /// The table's kind name.
    pub table: Name,
    /// The row's key, unique in its table.
    pub key: Name,
}

impl Thing {
    /// The row `key` of `table`.
    pub fn row(table: impl Into<Name>, key: impl Into<Name>) -> Self {
        Self::Row(Arc::new(RowKey {
            table: table.into(),
            key: key.into(),
        }))
    }
}

impl fmt::Display for Thing {
    /// As in addresses and in the API: `game`, `player:3`, `thing:17-1`, `post:9`, `comment:9:12`, `row:Trap/Acid`, `rule:idle`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game => f.write_str("game"),
            Self::Player(id) => write!(f, "player:{id}"),
            Self::Entity(id) => write!(f, "thing:{id}"),
            Self::Post(id) => write!(f, "post:{id}"),
            Self::Comment(post, id) => write!(f, "comment:{post}:{id}"),
            Self::Row(row) => write!(f, "row:{}/{}", row.table, row.key),
            Self::Rule(id) => write!(f, "rule:{id}"),
        }
    }
}

/// A text that should have named a thing and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" names no thing: write player:3, thing:17-1, post:9, row:Trap/Acid, rule:voting or game"
)]
pub struct NoThing(pub String);

impl std::str::FromStr for Thing {
    type Err = NoThing;

    fn from_str(text: &str) -> Result<Self, NoThing> {
        let no = || NoThing(text.to_owned());
        if text == "game" {
            return Ok(Self::Game);
        }
        let (kind, id) = text.split_once(':').ok_or_else(no)?;
        match kind {
            "player" => id.parse().map(Self::Player).map_err(|_| no()),
            "thing" => id.parse().map(Self::Entity).map_err(|_| no()),
            "post" => id.parse().map(Self::Post).map_err(|_| no()),
            "comment" => {
                let (post, id) = id.split_once(':').ok_or_else(no)?;
                Ok(Self::Comment(
                    post.parse().map_err(|_| no())?,
                    id.parse().map_err(|_| no())?,
                ))
            }
            "row" => id
                .split_once('/')
                .map(|(table, key)| Self::row(table, key))
                .ok_or_else(no),
            "rule" => Ok(Self::Rule(Name::from(id))),
            _ => Err(no()),
        }
    }
}

/// A square of a board: column and row counted from 0, column 0 at the left, row 0 at the top.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    /// The board's code name.
    pub board: Name,
    /// From 0, left to right.
    pub column: u16,
    /// From 0, top to bottom.
    pub row: u16,
}

/// What a tracked value holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Value {
    /// Nothing: a reference that points nowhere, a moment that never was.
    #[default]
    None,
    /// Yes or no.
    Flag(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A word that the law chose: a choice's option, a key. Open in the log.
    Word(Name),
    /// Words that a person typed, or that came of them. Only their digest is open in the log.
    Text(Sealed<str>),
    /// A point in time.
    Moment(Moment),
    /// A length of time.
    Span(Span),
    /// A square of a board.
    Square(Square),
    /// A thing pointed at.
    Thing(Thing),
    /// Several, in order.
    List(Arc<[Value]>),
    /// A value that not everybody may see; only its digest is open in the log.
    Hidden(Sealed<Value>),
    /// A picture that a person uploaded. Its size and digest are open in the log, its file is not.
    Picture(Arc<Picture>),
}

impl Value {
    /// The value itself where it is hidden; [`Value::None`] where its content has been forgotten.
    #[must_use]
    pub fn open(&self) -> &Self {
        match self {
            Self::Hidden(seal) => seal.plain().map_or(&Self::None, |value| value),
            other => other,
        }
    }

    /// The same without seals: texts as words, hidden values open. A seal within a sealed content would be kept as its
    /// digest alone and lose its own content.
    #[must_use]
    pub fn unsealed(&self) -> Self {
        match self {
            Self::Text(text) => Self::Word(text.as_str().into()),
            Self::Hidden(_) => self.open().unsealed(),
            Self::Picture(picture) => Self::Picture(Arc::new(picture.unsealed())),
            Self::List(items) => Self::list(items.iter().map(Self::unsealed)),
            other => other.clone(),
        }
    }

    /// A value that not everybody may see.
    #[must_use]
    pub fn hidden(&self, salt: Salt) -> Self {
        Self::Hidden(Sealed::close(self.unsealed(), salt))
    }

    /// A list of values.
    pub fn list(values: impl IntoIterator<Item = Self>) -> Self {
        Self::List(values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{EventSeq, Id};

    #[test]
    fn things_read_back_from_their_addresses() {
        let id = Id::new(EventSeq(17), 1);
        for thing in [
            Thing::Game,
            Thing::Player(PlayerId(id)),
            Thing::Entity(EntityId(id)),
            Thing::Post(PostId(id)),
            Thing::Comment(PostId(id), CommentId(Id::new(EventSeq(18), 0))),
            Thing::row("Trap", "Crazy Ivan"),
            Thing::Rule(Name::from("idle")),
        ] {
            assert_eq!(thing.to_string().parse(), Ok(thing));
        }
        assert!("crate:1".parse::<Thing>().is_err());
    }

    #[test]
    fn a_hidden_text_is_there_again_when_its_seal_is_opened() {
        let text = Value::Text(Sealed::close("under the oak", [1; 16]));
        let hidden = Value::list([text, Value::Int(3)]).hidden([2; 16]);
        let Value::Hidden(seal) = &hidden else {
            panic!("it is hidden");
        };
        let mut read = Sealed::closed(seal.digest());
        assert!(read.restore(&seal.bytes().expect("its content is at hand")));
        let words = Value::list([Value::Word("under the oak".into()), Value::Int(3)]);
        assert_eq!(read.plain(), Some(&words));
    }
}
