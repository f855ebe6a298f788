//! What rule code can call and read, as data: for guides, for completion, and for the tests that hold both to the truth.

use crate::check::typing;
use crate::datum::record_kinds;
use crate::host;
use crate::values::time::MOMENT_PARTS;

/// A function, declaration or method of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name; a method's with the kind before it, such as `Square.step`, where `K` is any kind of things.
    pub name: &'static str,
    /// Its whole signature; `= ?` marks what may be left out.
    pub signature: &'static str,
    /// One sentence.
    pub doc: &'static str,
}

/// Everything that rule code can call by name. What only the host calls has no words, and is left out as are quantities,
/// which are called by the names that rules give them.
pub fn library() -> Vec<Entry> {
    let entries = host::natives().into_iter().map(|native| Entry {
        name: native.signature.split('(').next().unwrap_or(""),
        signature: native.signature,
        doc: native.doc,
    });
    entries
        .filter(|entry| !entry.doc.is_empty() && entry.name.strip_suffix(".call").is_none())
        .collect()
}

/// What things and facts have: kind and attribute. `Entity` is whatever kind play creates, `Row` any table's.
pub fn attributes() -> Vec<(&'static str, &'static str)> {
    let mut all: Vec<_> = typing::BUILT_IN
        .iter()
        .map(|(kind, attribute, _)| (*kind, *attribute))
        .collect();
    all.extend(MOMENT_PARTS.iter().map(|part| ("Moment", *part)));
    for (kind, fields) in record_kinds() {
        all.extend(fields.into_iter().map(|(field, _)| (kind, field)));
    }
    all
}
