//! What rule code can call and read, as data and as a page: for guides, for completion, and for the tests that hold both
//! to the truth.

use crate::budget::Limits;
use crate::compile::bounds;
use crate::host::operators::{LIST_MAX, TEXT_MAX};
use crate::host::play::ROLLS_MAX;
use crate::interface::{self, LibraryEntry, LibraryTopic, TOPICS};
use crate::measure::{self, TREE_MAX};
use crate::nesting::{BLOCKS_MAX, DEPTH_MAX, SOURCE_MAX};

/// Everything that rule code can call by name. Quantities are left out, which are called by the names that rules give
/// them.
pub fn library() -> impl Iterator<Item = &'static LibraryEntry> {
    interface::functions().filter(|entry| !entry.is_unnamed())
}

/// What things and facts have.
pub fn attributes() -> impl Iterator<Item = &'static LibraryEntry> {
    interface::attributes()
}

/// The whole reference in Markdown: `docs/reference.md`.
pub fn markdown() -> String {
    let mut text = format!("{}\n", include_str!("host/types.md"));
    for topic in TOPICS.iter() {
        text += &format!("## {}\n\n{}\n\n", topic.title, topic_text(topic));
    }
    let rest = [
        include_str!("host/happenings.md"),
        include_str!("host/language.md"),
        include_str!("host/not-offered.md"),
        &limits(),
        include_str!("host/errors.md"),
        &index(),
    ];
    text += &rest.join("\n");
    let mut page = format!("{}\n", include_str!("host/reference.md"));
    for title in text.lines().filter_map(|line| line.strip_prefix("## ")) {
        page += &format!("- [{title}](#{})\n", anchor(title));
    }
    page + "\n" + &text
}

/// What a page's heading is linked by.
fn anchor(title: &str) -> String {
    let plain = title.chars().filter(|c| c.is_alphanumeric() || *c == ' ');
    plain.collect::<String>().to_lowercase().replace(' ', "-")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// A topic as its file has it; of attributes, a table.
fn topic_text(topic: &LibraryTopic) -> String {
    let Some(first) = topic.entries.first().filter(|entry| !entry.of.is_empty()) else {
        return topic.text.to_owned();
    };
    let before = format!("### {}", first.of);
    let (words, _) = topic.text.split_once(&before).unwrap_or((topic.text, ""));
    let head = "| kind | attribute | type | meaning |\n|---|---|---|---|";
    let mut page = format!("{words}{head}");
    for entry in &topic.entries {
        let of = match entry.of {
            "Entity" => "any entity".to_owned(),
            "Row" => "any row".to_owned(),
            kind => code(kind),
        };
        let (_, ty) = entry.signature.split_once(": ").unwrap_or_default();
        // A bar would end the cell.
        let ty = code(&ty.replace('|', "or"));
        let doc = entry.doc.replace("\n  ", " ");
        page += &format!("\n| {of} | {} | {ty} | {doc} |", code(entry.name));
    }
    page
}

fn limits() -> String {
    let (handler, whole) = (Limits::HANDLER, Limits::WHOLE);
    let whole = [number(whole.steps), size(whole.bytes), size(whole.output)];
    let law = [number(Limits::LAW.steps), size(Limits::LAW.bytes)];
    let part = [number(Limits::PART.steps), size(Limits::PART.bytes)];
    let limits = [
        ("steps", number(handler.steps)),
        ("memory", size(handler.bytes)),
        ("part", part.join(", ")),
        ("depth", number(handler.depth.into())),
        ("entries", number(handler.entries.into())),
        ("output", size(handler.output)),
        ("text", size(TEXT_MAX as u64)),
        ("items", number(LIST_MAX as u64)),
        ("tree", number(TREE_MAX as u64)),
        ("levels", number(measure::DEPTH_MAX.into())),
        ("dice", number(ROLLS_MAX.unsigned_abs())),
        ("made", number(Limits::MADE)),
        ("fence", size(SOURCE_MAX as u64)),
        ("source", size(bounds::LAW_BYTES_MAX as u64)),
        ("fences", number(bounds::FENCES_MAX as u64)),
        ("names", number(bounds::NAMES_MAX as u64)),
        ("nesting", number(DEPTH_MAX.into())),
        ("blocks", number(BLOCKS_MAX as u64)),
        ("law", law.join(", ")),
        ("whole", whole.join(", ")),
    ];
    let page = include_str!("host/limits.md").to_owned();
    limits.iter().fold(page, |page, (name, most)| {
        page.replace(&format!("{{{name}}}"), most)
    })
}

/// A number of bytes.
fn size(bytes: u64) -> String {
    if bytes < 1 << 20 {
        format!("{} KiB", bytes >> 10)
    } else {
        format!("{} MiB", bytes >> 20)
    }
}

/// A number in groups of three digits.
fn number(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups = groups.map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// All names in the order of the alphabet, each with its topic.
fn index() -> String {
    let topics = TOPICS.iter().flat_map(|topic| {
        let entries = topic.entries.iter();
        let called = entries.filter(|entry| entry.of.is_empty() && !entry.is_unnamed());
        called.map(|entry| (entry.name, topic.title))
    });
    let mut names: Vec<_> = topics.collect();
    names.sort_unstable();
    let links = names
        .iter()
        .map(|(name, title)| format!("[`{name}`](#{})", anchor(title)));
    format!("## Index\n\n{}\n", links.collect::<Vec<_>>().join(" ·\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_groups_of_three() {
        assert_eq!(number(200_000), "200,000");
        assert_eq!(number(64), "64");
    }

    #[test]
    fn the_page_in_the_documentation_is_the_one_that_is_printed() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference.md");
        if std::env::var_os("UPDATE_CHECKS").is_some() {
            std::fs::write(path, markdown()).expect("the page can be written");
        }
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            page == markdown(),
            "docs/reference.md is stale: print it again with `quorate docs > docs/reference.md`, or run this test with \
             UPDATE_CHECKS=1"
        );
    }
}
