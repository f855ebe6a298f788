//! Hostile programs and texts, and a law whose every place runs such a program.

use quorate_engine::rulebook::{Manifest, Rulebook};

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

const PROGRAMS: &str = include_str!("programs.star");

/// What every program finds.
pub(crate) const HELPERS: &str = include_str!("helpers.star");

/// The places that run the program `bad`.
const PLACES: &str = "
entity(\"Gizmo\")
tally = number(\"Tally\", of = player)
worth = derived(\"Worth\", bad, of = player, tracked = \"tracker\")

def stirs(attempt: Attempt) -> bool:
    return bad(attempt.actor) == 1

def follows(p: Player, old: int, new: int):
    bad(p)

def guarded(actor: Player):
    note(\"guarded\")

def stir(actor: Player):
    actor.tally += 1

action(\"run\", bad)
action(\"guarded\", guarded)
action(\"stir\", stir)
forbid(scope(actions = [\"guarded\"]), stirs, \"nothing bad\")
changed(tally, follows, of = player)
";

/// What goes on whatever happens to the program, in a clause of its own.
const CALM: &str = "
def calm(actor: Player):
    note(\"calm\")

action(\"calm\", calm)
";

/// A hostile program.
#[derive(Clone)]
pub(crate) struct Program {
    /// What it is.
    pub(crate) name: String,
    /// The words that its answer holds, each way of saying it between bars; `harmless` where there is nothing to say, and
    /// `as a test` where there is nothing to say of a test.
    pub(crate) words: Vec<String>,
    /// What it does.
    pub(crate) body: String,
}

/// All of them.
pub(crate) fn programs() -> Vec<Program> {
    let sections = PROGRAMS.split("\n## ").skip(1);
    let read = |section: &str| {
        let (head, body) = section.split_once('\n').expect("a heading and a body");
        let mut parts = head.split(" | ").map(str::to_owned);
        Program {
            name: parts.next().expect("a name"),
            words: parts.collect(),
            body: body.trim_end().to_owned(),
        }
    };
    sections.map(read).collect()
}

impl Program {
    /// The body of a function that does it.
    pub(crate) fn indented(&self) -> String {
        let indent = |body: String, line: &str| body + "    " + line + "\n";
        self.body.lines().fold(String::new(), indent)
    }

    /// A script that does it.
    pub(crate) fn script(&self) -> String {
        format!("p = players()[0]\n{}\n", self.body)
    }

    /// A test of rules that does it.
    pub(crate) fn test(&self) -> String {
        let body = self.indented();
        format!("{HELPERS}\ndef test_it():\n{body}    pass\n")
    }

    /// Whether it asks for something that a test of rules has not got.
    pub(crate) fn needs_game(&self) -> bool {
        let asks = [
            "p.", "p)", "rolls", "Gizmo", "post(", "note(", "now", "switch(", "rename(",
        ];
        asks.iter().any(|ask| self.body.contains(ask))
    }
}

/// A rule whose function has this body, in every place.
pub(crate) fn bad_rule(body: &str) -> String {
    let code = format!("{HELPERS}\ndef bad(p: Player) -> int:\n{body}    return 0\n{PLACES}");
    format!("# Bad\n\n1. It is bad.\n\n```starlark\n{code}```\n")
}

/// A rulebook of that rule, with a clause in which all is calm, and more.
pub(crate) fn book(body: &str, more: &str) -> Rulebook {
    let bad = bad_rule(body);
    let calm = format!("2. It is calm.\n\n```starlark\n{CALM}```\n");
    let rule = format!("---\nsection: rules\n---\n{bad}\n{calm}\n{more}");
    Rulebook {
        name: "t".into(),
        manifest: toml::from_str::<Manifest>(MANIFEST).expect("it reads"),
        library: Vec::new(),
        rules: vec![("1-rules/01-bad.md".to_owned(), rule)],
        tests: Vec::new(),
    }
}

/// A hostile text.
pub(crate) struct HostileText {
    /// What it is.
    pub(crate) name: &'static str,
    /// The text.
    pub(crate) text: String,
}

fn repeated(name: &'static str, part: &str, count: usize) -> HostileText {
    let text = part.repeat(count);
    HostileText { name, text }
}

impl HostileText {
    /// The same with an end.
    fn and(mut self, end: &str) -> Self {
        self.text.push_str(end);
        self
    }
}

/// All of them.
pub(crate) fn texts() -> Vec<HostileText> {
    vec![
        repeated("nothing", "", 1),
        repeated("spaces alone", " ", 1_000),
        repeated("a megabyte", "a", 1 << 20),
        repeated("a text just within its bound", "ä", 128 << 10),
        repeated("a sign of no width", "a\u{200b}", 20),
        repeated("letters written backwards", "\u{202e}abc", 3),
        repeated("a mixture of look-alikes", "pаypal", 1),
        repeated("marks upon marks", "e\u{301}\u{302}\u{303}\u{304}", 20_000),
        repeated("control signs", "\u{7}\u{1b}[2J\0", 10),
        repeated("markup that runs", "<script>alert(1)</script>", 40),
        repeated("stars", "*", 60_000),
        repeated("open brackets", "[", 60_000),
        repeated("open links", "[a](", 30_000),
        repeated("quotes within quotes", "> ", 60_000),
        repeated("backquotes of all lengths", "`` ` ``` ", 12_000),
        repeated("a wide table", "|a", 60_000),
        repeated("lists within lists", "- ", 60_000),
        repeated("icons", ":for: :against: ", 8_000),
        repeated("words for dice", "DICE6 ", 20_000),
        repeated("a die of many digits", "DICE99999999999999999999999999", 1),
        repeated("fences that never end", "```starlark\nx = 1\n", 6_000),
        repeated(
            "fences within clauses",
            "1. a\n\n```starlark\nx = (\n```\n",
            4_000,
        ),
        repeated("a heading of front matter", "---\nsection: rules\n", 5_000),
        repeated("names in braces", "{player} {", 20_000),
        repeated("braces, one of which is closed", "{", 120_000).and("}"),
        repeated("ends of lines", "\r\n\u{2028}\u{85}", 20_000),
        repeated("joined faces", "👩‍👩‍👧‍👦", 4_000),
    ]
}
