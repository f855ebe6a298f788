//! Values as they pass between rule code and the engine.

use std::sync::Arc;

use quorate_kernel::{Moment, Name, Picture, Span, Square, Thing};

/// A value of rule code, free of the language that runs it.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Datum {
    /// `None`.
    #[default]
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A text.
    Text(Arc<str>),
    /// A point in time.
    Moment(Moment),
    /// A length of time.
    Span(Span),
    /// A square of a board.
    Square(Square),
    /// A picture that a person uploaded.
    Picture(Arc<Picture>),
    /// A player, post, entity, row, rule, comment or the game.
    Thing(Thing),
    /// A list; unchangeable where it came from the world.
    List(Arc<[Datum]>),
    /// A dictionary in its order of insertion.
    Dict(Arc<[(Datum, Datum)]>),
    /// A function of the law, by its name at the top level of the module.
    Function(Name),
    /// The ledger `name` of a thing.
    Ledger(Thing, Name),
    /// Plain facts handed to or out of rule code: an icon, a change, a guard, a limit.
    Record(Arc<Record>),
    /// Something that only a script's host understands, by a number the host gave it.
    Object(u64),
}

/// Named facts of one kind, which are listed in the reference.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The kind: `Icon`, `Change`, `Line`, `Value`, `Attempt`, `Guard`, `Roll`, `Limit`, `Scope`.
    pub kind: &'static str,
    /// The fields in the order of the kind's list.
    pub fields: Vec<(&'static str, Datum)>,
}

impl Record {
    /// A field of the record.
    pub fn get(&self, field: &str) -> Option<&Datum> {
        self.fields
            .iter()
            .find(|(name, _)| *name == field)
            .map(|(_, datum)| datum)
    }

    /// A field that holds a text.
    pub fn text(&self, field: &str) -> Option<&Arc<str>> {
        match self.get(field) {
            Some(Datum::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// The type of a value as far as the checker knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Anything at all: unchecked.
    Any,
    /// Nothing.
    None,
    /// Yes or no.
    Bool,
    /// A whole number.
    Int,
    /// A text.
    Text,
    /// A point in time.
    Moment,
    /// A length of time.
    Span,
    /// A square of a board.
    Square,
    /// A picture.
    Picture,
    /// A thing of this kind: `Player`, `Game`, `Post`, `Comment`, `Rule`, or a kind that the law declares.
    Kind(Name),
    /// A record of this kind.
    Record(&'static str),
    /// A ledger.
    Ledger,
    /// A function.
    Function,
    /// A list.
    List(Box<Type>),
    /// A dictionary.
    Dict(Box<Type>, Box<Type>),
    /// This or nothing.
    Optional(Box<Type>),
}
