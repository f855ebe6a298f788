//! What rule code can call and read, as data and as a page: for guides, for completion, and for the tests that hold both
//! to the truth.

use crate::budget::Limits;
use crate::check::house::{BANNED, METHODS};
use crate::check::wording::KEYWORDS;
use crate::host::doings::HAPPENINGS;
use crate::host::operators::{LIST_MAX, TEXT_MAX, TREE_MAX, TUPLE_MAX};
use crate::host::play::ROLLS_MAX;
use crate::interface::{self, LibraryEntry, RECORDS, TOPICS, Topic};
use crate::library::BUILT_IN;
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
    let mut sections: Vec<(&str, String)> = Vec::new();
    sections.push(("Types", types()));
    for topic in TOPICS.iter() {
        sections.push((topic.title, topic_text(topic)));
    }
    let happenings =
        HAPPENINGS.map(|(name, hook, when)| row([&code(&quoted(name)), &code(hook), when]));
    sections.push((
        "Happenings",
        table(
            "What `on` tells of, and what the hook takes.",
            ["`on(…)`", "the hook takes", "when"],
            happenings,
        ),
    ));
    let language = BUILT_IN.map(|(name, gives)| row([&code(name), gives]));
    sections.push((
        "Of the language",
        table(
            "Rule code is Starlark. Of the language's own names rules may use these, and methods of texts, lists and \
             dictionaries but for those below.",
            ["name", "gives"],
            language,
        ),
    ));
    sections.push(("Not offered", not_offered()));
    sections.push(("Limits", limits()));
    let (title, ends) = include_str!("host/errors.md")
        .split_once('\n')
        .unwrap_or_default();
    sections.push((title.trim_start_matches("## "), ends.trim().to_owned()));
    sections.push(("Index", index()));

    let mut page = include_str!("host/reference.md").trim_end().to_owned();
    page += "\n\n";
    for (title, _) in &sections {
        page += &format!("- [{title}](#{})\n", anchor(title));
    }
    for (title, text) in sections {
        page += &format!("\n## {title}\n\n{text}\n");
    }
    page
}

/// What a page's heading is linked by.
fn anchor(title: &str) -> String {
    let plain = title.chars().filter(|c| c.is_alphanumeric() || *c == ' ');
    plain.collect::<String>().to_lowercase().replace(' ', "-")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn row<const N: usize>(cells: [&str; N]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn table<const N: usize>(
    words: &str,
    heads: [&str; N],
    rows: impl IntoIterator<Item = String>,
) -> String {
    let rows: String = rows.into_iter().collect();
    let table = row(heads) + &row(["---"; N]).replace(' ', "") + rows.trim_end();
    format!("{words}\n\n{table}")
}

/// A topic as its file has it; of attributes, a table.
fn topic_text(topic: &Topic) -> String {
    let Some(first) = topic.entries.first().filter(|entry| !entry.of.is_empty()) else {
        return topic.text.to_owned();
    };
    let before = format!("### {}", first.of);
    let (words, _) = topic.text.split_once(&before).unwrap_or((topic.text, ""));
    let rows = topic.entries.iter().map(|entry| {
        let of = match entry.of {
            "Entity" => "any entity".to_owned(),
            "Row" => "any row".to_owned(),
            kind => code(kind),
        };
        let (_, ty) = entry.signature.split_once(": ").unwrap_or_default();
        let doc = entry.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        row([&of, &code(entry.name), &code(&ty.replace('|', "or")), &doc])
    });
    table(words.trim(), ["kind", "attribute", "type", "meaning"], rows)
}

fn types() -> String {
    let plain = [
        ("Any", "anything at all: unchecked"),
        ("None", "nothing"),
        ("bool", "`True` or `False`"),
        (
            "int",
            "a whole number of 64 bits; what leaves them is an error, never a wrong number",
        ),
        ("str", "a text"),
        ("Moment", "a point in time, to the millisecond, in UTC"),
        ("Span", "a length of time, in milliseconds: `hours(48)`"),
        ("Square", "a square of a board"),
        ("Picture", "a picture that somebody uploaded"),
        ("Ledger", "dated lines"),
        ("Callable", "a function; in rules, `typing.Callable`"),
        ("list[T]", "several in order; `list` of anything"),
        (
            "dict[K, V]",
            "values by keys, in the order in which they were put in",
        ),
        ("T or None", "that or nothing, written `T | None`"),
        (
            "Player",
            "a kind of things: `Player`, `Game`, `Post`, `Comment`, `Rule`, or one that the law declares",
        ),
    ];
    let facts = RECORDS.iter().map(|kind| code(kind)).collect::<Vec<_>>();
    let words = format!(
        "What signatures, parameters and columns are annotated with. Facts are types too: {}. Always there are also \
         `player` (the kind of players), `game` (the game) and `now` (the moment of the event).",
        facts.join(", ")
    );
    table(
        &words,
        ["type", "is"],
        plain.map(|(ty, is)| row([&code(ty), is])),
    )
}

fn not_offered() -> String {
    let keywords = KEYWORDS.iter().chain(&BANNED);
    let methods = METHODS
        .iter()
        .map(|(method, instead)| row([&code(&format!(".{method}")), instead]));
    let signs = ["/", "/=", "*=", "%=", "<<=", ">>="].map(code).join(", ");
    let rows = keywords
        .map(|(word, instead)| row([&code(word), instead]))
        .chain(methods)
        .chain([row([&signs, "write `//`, or `x = x * y`"])]);
    table(
        "What the language or its relatives have and rules do not; names that begin with two underscores are the host's \
         own.",
        ["not offered", "in its place"],
        rows,
    )
}

fn limits() -> String {
    let handler = Limits::HANDLER;
    let size = |bytes: u64| {
        if bytes < 1 << 20 {
            format!("{} KiB", bytes >> 10)
        } else {
            format!("{} MiB", bytes >> 20)
        }
    };
    let rows = [
        (
            "steps (calls and turns of loops) in one handler, with all that it calls",
            number(handler.steps),
        ),
        ("memory in one handler", size(handler.bytes)),
        ("functions inside one another", number(handler.depth.into())),
        (
            "derived values inside one another",
            number(handler.entries.into()),
        ),
        (
            "text that leaves a handler: notes, posts, comments, messages, refusals",
            size(handler.output),
        ),
        ("one text", size(TEXT_MAX as u64)),
        (
            "items of one list, numbers of one `range`",
            number(LIST_MAX as u64),
        ),
        (
            "values in what is compared, printed or sorted, lists within lists counted",
            number(TREE_MAX as u64),
        ),
        ("values in a tuple of tuples", number(TUPLE_MAX as u64)),
        (
            "dice in one call, whatever the game allows",
            number(ROLLS_MAX.unsigned_abs()),
        ),
        ("one fence", size(SOURCE_MAX as u64)),
        (
            "brackets, operators and dots inside or behind one another",
            number(DEPTH_MAX.into()),
        ),
        (
            "columns of indentation, branches of `elif`",
            number(BLOCKS_MAX as u64),
        ),
        ("`for` in one list", "3".to_owned()),
        (
            "steps, memory, text of a test file or of a law's top level",
            format!(
                "{}, {}, {}",
                number(Limits::WHOLE.steps),
                size(Limits::WHOLE.bytes),
                size(Limits::WHOLE.output)
            ),
        ),
    ];
    table(
        "Players write rule code, so every run of it has a budget. What runs into a limit breaks, at the line where it \
         happened.",
        ["what", "at most"],
        rows.map(|(what, most)| row([what, &most])),
    )
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
    links.collect::<Vec<_>>().join(" ·\n")
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
