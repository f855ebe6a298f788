//! Finding the seals in rows, to write their contents beside the log and to put them back.

use std::sync::Arc;

use crate::digest::Digest;
use crate::ids::PlayerId;
use crate::law::{Rule, Section, Term};
use crate::patch::Patch;
use crate::rows::{
    About, Archived, Asked, Author, Breaks, Cell, Claim, Clock, Comment, Commitment, Due, Duty,
    Dynasty, Entity, Line, Message, Open, PageText, Person, Post, Use, Waiting,
};
use crate::seal::{SealBytes, Sealed};
use crate::tape::{Chosen, Tape};
use crate::value::Value;

/// A seal found in a row.
pub enum SealMut<'a> {
    /// Of a text.
    Text(&'a mut Sealed<str>),
    /// Of a hidden value.
    Value(&'a mut Sealed<Value>),
    /// Of a hidden author.
    Author(&'a mut Sealed<PlayerId>),
    /// Of a post's changes.
    Patch(&'a mut Sealed<Patch>),
}

impl SealMut<'_> {
    /// The seal's digest.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Text(seal) => seal.digest(),
            Self::Value(seal) => seal.digest(),
            Self::Author(seal) => seal.digest(),
            Self::Patch(seal) => seal.digest(),
        }
    }

    /// What is to lie beside the log.
    pub fn bytes(&self) -> Option<SealBytes> {
        match self {
            Self::Text(seal) => seal.bytes(),
            Self::Value(seal) => seal.bytes(),
            Self::Author(seal) => seal.bytes(),
            Self::Patch(seal) => seal.bytes(),
        }
    }

    /// Puts the content back; false where it does not fit.
    pub fn restore(&mut self, found: &SealBytes) -> bool {
        match self {
            Self::Text(seal) => seal.restore(found),
            Self::Value(seal) => seal.restore(found),
            Self::Author(seal) => seal.restore(found),
            Self::Patch(seal) => seal.restore(found),
        }
    }
}

/// Rows and values that may hold seals.
pub trait EachSeal {
    /// Visits each seal. A hidden value is visited itself and not what is in it.
    fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>));
}

macro_rules! without_seals {
    ($($row:ty),+) => {$(
        impl EachSeal for $row {
            fn each_seal(&mut self, _: &mut dyn FnMut(SealMut<'_>)) {}
        }
    )+};
}

without_seals!(
    About, Line, Entity, Section, Rule, Term, Use, Clock, Due, Breaks, Commitment
);

impl EachSeal for Value {
    fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
        match self {
            Self::Text(seal) => seal.each_seal(visit),
            Self::Hidden(seal) => seal.each_seal(visit),
            Self::Picture(picture) => {
                if let Some(seal) = Arc::make_mut(picture).seal() {
                    seal.each_seal(visit);
                }
            }
            Self::List(items) if items.iter().any(may_hold_seals) => {
                let mut changed: Vec<Self> = items.to_vec();
                for item in &mut changed {
                    item.each_seal(visit);
                }
                *items = Arc::from(changed);
            }
            _ => {}
        }
    }
}

fn may_hold_seals(value: &Value) -> bool {
    matches!(
        value,
        Value::Text(_) | Value::Hidden(_) | Value::List(_) | Value::Picture(_)
    )
}

/// What is sealed is visited as what it is.
macro_rules! sealed_as {
    ($($kind:ident: $content:ty),+) => {$(
        impl EachSeal for Sealed<$content> {
            fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
                visit(SealMut::$kind(self));
            }
        }
    )+};
}

sealed_as!(Text: str, Value: Value, Author: PlayerId, Patch: Patch);

impl<T: EachSeal> EachSeal for Option<T> {
    fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
        if let Some(row) = self {
            row.each_seal(visit);
        }
    }
}

impl<T: EachSeal> EachSeal for Vec<T> {
    fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
        for row in self {
            row.each_seal(visit);
        }
    }
}

impl<N, T: EachSeal> EachSeal for (N, T) {
    fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
        self.1.each_seal(visit);
    }
}

/// Visits the seals of structs, field by field in the order named.
macro_rules! seals_in {
    ($($row:ty: $($field:ident)+),+ $(,)?) => {$(
        impl crate::sealing::EachSeal for $row {
            fn each_seal(&mut self, visit: &mut dyn FnMut(crate::sealing::SealMut<'_>)) {
                $(self.$field.each_seal(visit);)+
            }
        }
    )+};
}

pub(crate) use seals_in;

seals_in! {
    Person: name,
    Cell: value,
    Archived: value,
    Post: author title body flavour note patch,
    Comment: author text,
    Message: text,
    Duty: options default context,
    Open: args tape question,
    Waiting: rolled_for,
    Asked: options default,
    Tape: answers,
    Chosen: value,
    Claim: reason,
    Dynasty: title,
    PageText: text,
}

impl EachSeal for Author {
    fn each_seal(&mut self, visit: &mut dyn FnMut(SealMut<'_>)) {
        if let Self::Hidden(seal) = self {
            seal.each_seal(visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Picture;
    use crate::seal::Content;

    fn picture() -> Value {
        Value::Picture(Arc::new(Picture::new(
            80,
            80,
            Digest::of(b"seen"),
            "iVBORw0KGgo=",
        )))
    }

    fn file(value: &Value) -> Option<&str> {
        match value.open() {
            Value::Picture(picture) => picture.png(),
            _ => None,
        }
    }

    #[test]
    fn the_file_lies_beside_the_log_and_comes_back() {
        let mut value = picture();
        let mut kept = Vec::new();
        value.each_seal(&mut |seal| kept.extend(seal.bytes()));
        let stored = value.to_bytes();
        assert!(!stored.windows(4).any(|four| four == b"iVBO"));
        let mut read = Value::clone(&Value::from_bytes(&stored).expect("it can be read"));
        assert_eq!(file(&read), None);
        assert_eq!(read, value, "what was forgotten is still the same picture");
        read.each_seal(&mut |mut seal| assert!(kept.iter().any(|bytes| seal.restore(bytes))));
        assert_eq!(file(&read), Some("iVBORw0KGgo="));
    }

    #[test]
    fn a_hidden_picture_has_one_seal_that_covers_all_of_it() {
        let mut hidden = picture().hidden([3; 16]);
        assert_eq!(file(&hidden), Some("iVBORw0KGgo="));
        let stored = hidden.to_bytes();
        let mut read = Value::clone(&Value::from_bytes(&stored).expect("it can be read"));
        hidden.each_seal(&mut |seal| {
            let bytes = seal.bytes().expect("its content is at hand");
            read.each_seal(&mut |mut seal| assert!(seal.restore(&bytes)));
        });
        assert_eq!(file(&read), Some("iVBORw0KGgo="));
    }
}
