//! The library as it is declared: what rule code can call and read, in Markdown beside the code that runs it.
//!
//! A file holds topics (`## People`), words about each, and entries such as "- `roll(sides: int, what: str) -> int` — one
//! die". These signatures are the only ones there are: calls are checked and arguments are taken by them, and
//! [`crate::reference`] prints them. Under a heading such as `### Player` entries are attributes of that kind.

use std::sync::LazyLock;

/// A function, declaration, method or attribute of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LibraryEntry {
    /// The kind that has it as an attribute; empty for what is called. `Entity` is whatever kind play creates, `Row` any
    /// table's.
    pub of: &'static str,
    /// Its name; a method's with the kind before it, such as `Square.step`, where `K` is any kind of things.
    pub name: &'static str,
    /// Its whole signature; `= ?` marks what may be left out.
    pub signature: &'static str,
    /// What it means, gives, refuses and is wrong with it, and what a ruleset says that it serves.
    pub doc: &'static str,
}

/// A topic of the library.
pub(crate) struct LibraryTopic {
    pub(crate) title: &'static str,
    /// All of it, without its heading.
    pub(crate) text: &'static str,
    pub(crate) entries: Vec<LibraryEntry>,
}

const FILES: [&str; 15] = [
    include_str!("host/values.md"),
    include_str!("host/things.md"),
    include_str!("host/doings.md"),
    include_str!("host/permits.md"),
    include_str!("host/handles.md"),
    include_str!("host/boards.md"),
    include_str!("host/ledgers.md"),
    include_str!("host/people.md"),
    include_str!("host/play.md"),
    include_str!("host/posts.md"),
    include_str!("host/law.md"),
    include_str!("host/time.md"),
    include_str!("host/text.md"),
    include_str!("host/attributes.md"),
    FACTS,
];

/// Plain facts, such as a guard is given.
const FACTS: &str = include_str!("host/facts.md");

/// All topics, in the order of the reference.
pub(crate) static TOPICS: LazyLock<Vec<LibraryTopic>> =
    LazyLock::new(|| FILES.into_iter().flat_map(topics).collect());

/// The kinds of plain facts.
pub(crate) static RECORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let kinds = FACTS.lines().filter_map(|line| line.strip_prefix("### "));
    kinds.collect()
});

impl LibraryEntry {
    /// Whether it is called by a name that a rule gives it, as a quantity is.
    pub(crate) fn is_unnamed(&self) -> bool {
        self.name
            .split_once('.')
            .is_some_and(|(_, name)| name == "call")
    }
}

/// Names of the language that rule code may use.
pub(crate) static LANGUAGE: LazyLock<Vec<LibraryEntry>> =
    LazyLock::new(|| entries_of(include_str!("host/language.md")));

/// What `on` tells of, each with what its hook takes.
pub(crate) static HAPPENINGS: LazyLock<Vec<LibraryEntry>> =
    LazyLock::new(|| entries_of(include_str!("host/happenings.md")));

static NOT_OFFERED: LazyLock<Vec<LibraryEntry>> =
    LazyLock::new(|| entries_of(include_str!("host/not-offered.md")));

/// What to write in the place of a `word`, a `name` or a `method` that rules do without.
pub(crate) fn instead(of: &str, name: &str) -> Option<&'static str> {
    let mut all = NOT_OFFERED.iter();
    let found = all.find(|entry| entry.name == name && entry.of == of)?;
    Some(found.doc)
}

/// What rule code can call by name.
pub(crate) fn functions() -> impl Iterator<Item = &'static LibraryEntry> {
    entries().filter(|entry| entry.of.is_empty())
}

/// What things and facts have.
pub(crate) fn attributes() -> impl Iterator<Item = &'static LibraryEntry> {
    entries().filter(|entry| !entry.of.is_empty())
}

fn entries() -> impl Iterator<Item = &'static LibraryEntry> {
    TOPICS.iter().flat_map(|topic| &topic.entries)
}

fn topics(file: &'static str) -> impl Iterator<Item = LibraryTopic> {
    let file = file.strip_prefix("## ").unwrap_or(file);
    file.split("\n## ").map(|section| {
        let (title, text) = section.split_once('\n').unwrap_or((section, ""));
        LibraryTopic {
            title,
            text: text.trim(),
            entries: entries_of(section),
        }
    })
}

fn entries_of(section: &'static str) -> Vec<LibraryEntry> {
    let mut pieces = section.split("\n- `");
    let mut before = pieces.next().unwrap_or("");
    let mut of = "";
    let mut entries = Vec::new();
    for piece in pieces {
        // The heading of an attribute's kind ends the piece before it.
        of = before.rsplit_once("### ").map_or(of, |(_, kind)| kind);
        let (signature, rest) = piece.split_once('`').unwrap_or((piece, ""));
        let doc = rest.split("\n\n").next().unwrap_or("").trim();
        let name = signature.split(['(', ':']).next().unwrap_or("");
        entries.push(LibraryEntry {
            of,
            name,
            signature,
            doc: doc.strip_prefix("— ").unwrap_or(doc),
        });
        before = piece;
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_says_what_it_means_and_every_function_what_it_serves() {
        for entry in entries() {
            assert!(!entry.doc.is_empty(), "{}", entry.signature);
            assert!(!entry.doc.contains("\n- "), "{}", entry.signature);
        }
        for entry in functions().filter(|entry| !entry.is_unnamed()) {
            assert!(entry.doc.contains("Serves:"), "{}", entry.signature);
        }
    }

    #[test]
    fn an_attribute_knows_its_kind() {
        let tags = attributes().find(|entry| entry.name == "tags").unwrap();
        assert_eq!((tags.of, tags.signature), ("Post", "tags: list[str]"));
        assert_eq!(RECORDS.first(), Some(&"Icon"));
    }
}
