//! When a test calls two values equal.

use quorate_kernel::Moment;
use quorate_law::datum::Datum;

use super::{Object, Stage};
use crate::convert;

impl Stage {
    /// Whether two values are equal for a test. Moments equal their texts, and facts of a refusal, which are words,
    /// equal the number, the moment or the thing that the words name.
    pub(super) fn same(&self, one: &Datum, other: &Datum) -> bool {
        match (one, other) {
            (Datum::List(a), Datum::List(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.same(a, b))
            }
            (Datum::Text(text), value) | (value, Datum::Text(text)) => self.names(text, value),
            (Datum::Object(a), Datum::Object(b)) => a == b,
            (a, b) => a == b,
        }
    }

    fn names(&self, text: &str, value: &Datum) -> bool {
        match value {
            Datum::Text(other) => **other == *text,
            Datum::Moment(moment) => text.parse::<Moment>().is_ok_and(|named| named == *moment),
            Datum::None => text.is_empty() || text == "None",
            Datum::Object(number) => self.object(*number).is_ok_and(|object| match object {
                Object::Thing(..) => self.describe(&object) == text,
                _ => false,
            }),
            other => self.words(other) == text,
        }
    }

    /// A value in words, for messages.
    pub(super) fn words(&self, datum: &Datum) -> String {
        match datum {
            Datum::Object(number) => self
                .object(*number)
                .map_or_else(|_| "?".to_owned(), |object| self.describe(&object)),
            Datum::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.words(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Datum::Dict(entries) => {
                let entries = entries.iter();
                let entries = entries.map(|(k, v)| format!("{}: {}", self.words(k), self.words(v)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            Datum::Text(text) => format!("\"{text}\""),
            other => convert::describe(other),
        }
    }
}
