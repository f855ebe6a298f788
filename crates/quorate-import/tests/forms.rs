//! One ruleset in its three forms, and what is made of it.

use quorate_import::{Book, FindingSeverity, SourceForm, read};

const WIKI: &str = include_str!("fixtures/lighthouse.wiki");
const PAGE: &str = include_str!("fixtures/lighthouse.html");
const AIRY: &str = include_str!("fixtures/airy.txt");
const DENSE: &str = include_str!("fixtures/dense.txt");
const NUMBERED: &str = include_str!("fixtures/numbered.txt");

fn book(text: &str) -> Book {
    read(text, SourceForm::of(text), "unnamed")
}

/// Each rule as its section, its place under another, and its title.
fn outline(book: &Book) -> Vec<String> {
    let line = |rule: &quorate_import::RuleFile| {
        let parent = rule.parent.as_deref().map(|parent| format!("{parent} > "));
        format!(
            "{}: {}{}",
            rule.section,
            parent.unwrap_or_default(),
            rule.title
        )
    };
    book.rules.iter().map(line).collect()
}

fn prose<'b>(book: &'b Book, id: &str) -> &'b str {
    let rule = book.rules.iter().find(|rule| rule.id == id);
    &rule.expect("the rule is there").prose
}

fn findings(text: &str) -> Vec<String> {
    book(text)
        .findings
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn the_form_of_a_text_is_told_from_it() {
    assert_eq!(SourceForm::of(WIKI), SourceForm::Wikitext);
    assert_eq!(SourceForm::of(PAGE), SourceForm::Html);
    assert_eq!(SourceForm::of(AIRY), SourceForm::Plain);
    assert_eq!(SourceForm::of(DENSE), SourceForm::Plain);
}

#[test]
fn wikitext_and_html_have_the_same_rules_in_the_same_words() {
    let (wiki, page) = (book(WIKI), book(PAGE));
    assert_eq!(
        outline(&wiki),
        [
            "core: Keepers",
            "core: keepers > Visitors",
            "core: Votes",
            "dynastic: The Lamp",
            "dynastic: Words",
            "special-case: Special Case",
            "special-case: Fog",
        ]
    );
    assert_eq!(outline(&wiki), outline(&page));
    for rule in &wiki.rules {
        let other = page.rules.iter().find(|other| other.id == rule.id);
        let other = other.expect("the other form has the rule");
        let plain = |prose: &str| prose.replace("wiki:The_Logbook", "wiki:/wiki/The_Logbook");
        assert_eq!(plain(&rule.prose), other.prose, "{}", rule.title);
        assert_eq!(rule.active, other.active);
    }
    assert_eq!(wiki.player().1, "Keepers");
    assert_eq!(page.title, "Lighthouse");
    assert_eq!(wiki.title, "unnamed");
}

#[test]
fn words_keep_their_marks_and_signs_that_are_none_are_escaped() {
    let book = book(WIKI);
    let keepers = prose(&book, "keepers");
    assert!(
        keepers.contains("A **Keeper** is whoever has signed the *logbook*"),
        "{keepers}"
    );
    assert!(
        keepers.contains("[its page](wiki:The_Logbook)"),
        "{keepers}"
    );
    assert!(
        keepers.contains("[the form](http://rock.example/sign_up)"),
        "{keepers}"
    );
    assert!(
        keepers.contains("> Note in the source: Who sleeps where is on the wall."),
        "{keepers}"
    );
    assert!(
        prose(&book, "the-lamp")
            .contains("The lamp \\*never\\* goes out\\_ unless \\`somebody\\` ''blows''."),
        "{}",
        prose(&book, "the-lamp")
    );
    assert!(
        prose(&book, "fog")
            .contains("In fog, ring the bell.\nTwice.\n\n```text\n#####\n# o #\n```")
    );
}

#[test]
fn lists_tables_and_definitions_become_those_of_markdown() {
    let book = book(WIKI);
    assert_eq!(
        prose(&book, "votes"),
        "A vote is one of these:\n\n - FOR\n - AGAINST, which is\n   - loud, or\n     1. silent and\n     2. short\n   and final.\n - VETO"
    );
    assert!(prose(&book, "the-lamp").starts_with(
        "Oil for a night\n\n| Season | Barrels |\n| --- | --- |\n| Winter | 3 |\n| Summer | 1 \\| or 2 |"
    ), "{}", prose(&book, "the-lamp"));
    assert_eq!(
        prose(&book, "words"),
        " - **Gull**: a bird\n - **Rope**: what holds\n   - what trips"
    );
}

#[test]
fn plain_text_between_blank_lines_is_read() {
    let book = book(AIRY);
    assert_eq!(book.title, "Lighthouse");
    assert!(book.about.contains("Revision as of noon"), "{}", book.about);
    assert_eq!(
        outline(&book),
        [
            "core: Keepers",
            "core: Votes",
            "dynastic: The Lamp",
            "dynastic: Words",
            "special-case: Special Case",
            "special-case: Fog",
        ]
    );
    assert!(prose(&book, "keepers").starts_with(
        "This is the law of the rock; all Keepers shall obey it. A Keeper is whoever has signed"
    ));
    assert_eq!(
        prose(&book, "votes"),
        "A vote is one of these:\n\n - FOR\n - AGAINST, which is\n   - loud, or\n     silently loud, or\n   - short\n - VETO\n\n 1) Nobody votes twice.\n\n 2) Nobody votes for the sea."
    );
    assert_eq!(
        prose(&book, "the-lamp"),
        "|  |  |\n| --- | --- |\n| Season | Barrels |\n| Winter | 3 |\n| Summer | 1 |"
    );
    assert_eq!(
        prose(&book, "words"),
        " - **Gull**: A bird that knows no law.\n - **Rope**: \"what holds\""
    );
    assert_eq!(book.rules.last().and_then(|rule| rule.active), Some(false));
    assert_eq!(prose(&book, "fog"), "In fog, ring the bell.\nTwice.");
}

#[test]
fn plain_text_with_a_paragraph_a_line_is_read() {
    let book = book(DENSE);
    assert_eq!(book.title, "Rules of the Rock");
    assert_eq!(
        outline(&book),
        [
            "core: Keepers",
            "core: Votes",
            "dynastic: The Lamp",
            "dynastic: Blood and Oil!",
            "glossary: Glossary",
            "glossary: Dice",
        ]
    );
    assert_eq!(
        prose(&book, "votes"),
        "A vote is one of these:\n\n - FOR\n - AGAINST\n\nSize: as large as it is."
    );
    assert!(
        prose(&book, "the-lamp").contains("| Season | Barrels |\n| --- | --- |\n| Winter | 3 |")
    );
    assert!(book.findings.is_empty(), "{:?}", book.findings);
}

#[test]
fn numbers_make_the_order_and_a_jump_is_told_by_its_line() {
    let book = book(NUMBERED);
    assert_eq!(
        outline(&book),
        [
            "rules: Keepers",
            "rules: Lamps",
            "rules: lamps > Wicks",
            "rules: Boats"
        ]
    );
    let numbers: Vec<_> = book
        .rules
        .iter()
        .map(|rule| rule.number.as_deref())
        .collect();
    assert_eq!(numbers, [Some("1"), Some("2"), None, Some("5")]);
    assert_eq!(
        findings(NUMBERED),
        [
            "line 13: problem: number 4 of a list comes after 2; it is kept",
            "line 19: note: number 5 of \"Boats\" comes after 2; the order of the text is kept",
        ]
    );
}

#[test]
fn broken_wikitext_is_reported_by_line_and_kept() {
    let text = "== Core Rules ==\n=== Tea ===\nTea is '''hot.\n\n{{Infobox|leaf}} <blink>now</blink> [[open\n\
        {| \n| one\n==== Milk ===\nMilk <!-- is\n== Dynastic Rules ==\n";
    let book = book(text);
    let told: Vec<(usize, &str)> = book
        .findings
        .iter()
        .filter(|finding| finding.severity == FindingSeverity::Problem)
        .map(|finding| (finding.line, finding.text.as_str()))
        .collect();
    let expected = [
        (3, "bold is not closed"),
        (5, "the template \"Infobox\""),
        (5, "unknown markup `<blink>`"),
        (5, "unknown markup `<blink>`"),
        (5, "`[[` is not closed"),
        (6, "this table is not closed"),
        (8, "4 signs before it and 3 after it"),
        (9, "this comment is not closed"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for ((line, text), (at, words)) in told.iter().zip(expected) {
        assert_eq!(*line, at, "{text}");
        assert!(text.contains(words), "{text}");
    }
    let whole: String = book.rules.iter().map(RuleText::of).collect();
    for word in [
        "hot.",
        "Infobox",
        "leaf",
        "now",
        "open",
        "one",
        "Milk",
        "Dynastic Rules",
    ] {
        assert!(whole.contains(word), "{word} in {whole}");
    }
}

struct RuleText;

impl RuleText {
    fn of(rule: &quorate_import::RuleFile) -> String {
        rule.text()
    }
}

#[test]
fn broken_html_is_reported_by_line_and_kept() {
    let text = "<h2>Core Rules</h2>\n<h4>Tea</h4>\n<p>Tea is </b>hot\n<marquee>now</marquee>\n<td>lost</td>\n\
        <ul><li>one\n<h3>Milk</h3>\n<table><tr><td>white\n<td>cold\n";
    let told = findings(text);
    let expected = [
        "line 2: problem: this heading is 2 levels below",
        "line 3: note: `</b>` closes nothing",
        "line 4: problem: unknown markup `<marquee>`",
        "line 5: problem: `<td>` outside of a table",
        "line 7: problem: a list is not closed",
        "line 8: problem: this table is not closed",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told}");
    }
    let whole: String = book(text).rules.iter().map(RuleText::of).collect();
    for word in ["Tea", "hot", "now", "lost", "one", "Milk", "white", "cold"] {
        assert!(whole.contains(word), "{word} in {whole}");
    }
}

#[test]
fn marks_in_plain_text_and_titles_like_sentences_are_reported() {
    let text = "Core Rules\n\nThe cat sat down on the mat\n\nIt is '''fat'''.\n\n[data]\n\nRules of Cats\n\nDogs\n\nDogs bark.\n";
    let told = findings(text);
    assert_eq!(told.len(), 4, "{told:#?}");
    assert!(
        told[0].starts_with("line 3: note: \"The cat sat down on the mat\" is taken for the title")
    );
    assert!(told[1].starts_with("line 5: problem: `'''` is no mark of plain text"));
    assert!(told[2].starts_with("line 7: note: [data] stands alone"));
    assert!(told[3].starts_with("line 9: note: \"Rules of Cats\" has no words of its own"));
}

#[test]
fn a_text_without_rules_says_so() {
    assert!(findings("only some words.")[0].contains("no rule was found"));
    assert!(book("").rules.is_empty());
}

#[test]
fn code_names_are_given_once_and_are_never_a_name_of_the_law() {
    let text = "== Core Rules ==\n=== Library ===\na\n=== Library ===\nb\n=== Effects ===\nc\n=== Ünder 9 Łights ===\nd\n\
        === 3rd Day ===\ne\n=== !? ===\nf\n== Library ==\n=== By Hand ===\ng\n";
    let book = book(text);
    let ids: Vec<_> = book.rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "library",
            "library-2",
            "effects-2",
            "under-9-ights",
            "rd-day",
            "rule",
            "by-hand-2"
        ]
    );
    assert_eq!(book.sections[1].0, "library-2");
}
