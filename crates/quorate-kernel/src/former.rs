//! Texts of rules that are no longer law. They are kept in the archive, as the contents of values that left the law are, since
//! other rules may still use names that they defined.

use crate::ids::EventSeq;
use crate::law::Rule;
use crate::name::Name;
use crate::rows::{Archived, CellKey};
use crate::time::Moment;
use crate::value::{Thing, Value};

/// What the keys of such rows begin with; no value of a law has a blank in its name.
const KEY: &str = "text ";

/// A text that was law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormerRule<'a> {
    /// The rule.
    pub id: &'a Name,
    /// Its title then.
    pub title: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Whether the rule was repealed; else it was amended.
    pub repealed: bool,
    /// When.
    pub at: Moment,
}

impl<'a> FormerRule<'a> {
    /// The row that keeps a rule's text as it leaves the law.
    pub fn row(
        id: &Name,
        rule: &Rule,
        repealed: bool,
        by: EventSeq,
        at: Moment,
    ) -> (CellKey, Archived) {
        let key = CellKey {
            thing: Thing::Rule(id.clone()),
            name: format!("{KEY}{:020}", by.0).into(),
        };
        let value = Value::List(
            [
                Value::Word(rule.title.as_str().into()),
                Value::Word((&*rule.text).into()),
                Value::Flag(repealed),
            ]
            .into(),
        );
        (key, Archived { value, at })
    }

    /// Where such rows begin in the archive.
    pub(crate) fn first_key() -> CellKey {
        CellKey {
            thing: Thing::Rule(Name::default()),
            name: Name::default(),
        }
    }

    /// What a row of the archive says, if it keeps a rule's text.
    pub fn read(key: &'a CellKey, row: &'a Archived) -> Option<Self> {
        let Thing::Rule(id) = &key.thing else {
            return None;
        };
        let Value::List(kept) = &row.value else {
            return None;
        };
        match &**kept {
            [Value::Word(title), Value::Word(text), Value::Flag(repealed)]
                if key.name.as_str().starts_with(KEY) =>
            {
                Some(Self {
                    id,
                    title: title.as_str(),
                    text: text.as_str(),
                    repealed: *repealed,
                    at: row.at,
                })
            }
            _ => None,
        }
    }
}
