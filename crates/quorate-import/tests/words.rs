//! Nothing is dropped: every word of a ruleset is in the rulebook, in its order, whatever the form and however odd the text.

use proptest::prelude::*;
use quorate_import::{Book, SourceForm, read};

/// The words of a text, without anything that may be a mark.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// What a book says, in its order.
fn said(book: &Book) -> Vec<String> {
    let mut text = format!("{}\n{}\n", book.title, book.about);
    for (id, title, number) in &book.sections {
        text.push_str(&format!("{} {title}\n", number.clone().unwrap_or_default()));
        for rule in book.rules.iter().filter(|rule| rule.section == *id) {
            let number = rule.number.clone().unwrap_or_default();
            text.push_str(&format!("{number} {}\n{}\n", rule.title, rule.prose));
        }
    }
    words(&text)
}

/// The first word of one text that is not in the other, in order.
fn missing(wanted: &[String], said: &[String]) -> Option<String> {
    let mut rest = said.iter();
    wanted
        .iter()
        .find(|word| !rest.any(|other| other == *word))
        .cloned()
}

/// A ruleset that is written in any form.
#[derive(Clone, Debug)]
enum Piece {
    Section(String),
    Rule(String),
    Subrule(String),
    Prose(Vec<(u8, String)>),
    List(Vec<(usize, bool, String)>),
    Table(Vec<Vec<String>>),
    Terms(Vec<(String, String)>),
}

fn word() -> impl Strategy<Value = String> {
    "[a-z]{1,7}[0-9]?"
}

fn phrase() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..6).prop_map(|words| words.join(" "))
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        1 => phrase().prop_map(Piece::Section),
        3 => phrase().prop_map(Piece::Rule),
        1 => phrase().prop_map(Piece::Subrule),
        5 => prop::collection::vec((0..5_u8, phrase()), 1..6).prop_map(Piece::Prose),
        2 => prop::collection::vec((1..4_usize, any::<bool>(), phrase()), 1..6).prop_map(Piece::List),
        1 => prop::collection::vec(prop::collection::vec(phrase(), 1..4), 1..4).prop_map(Piece::Table),
        1 => prop::collection::vec((phrase(), phrase()), 1..4).prop_map(Piece::Terms),
    ]
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    prop::collection::vec(piece(), 1..14).prop_map(|mut pieces| {
        pieces.insert(0, Piece::Section("core rules".to_owned()));
        pieces.insert(1, Piece::Rule("first".to_owned()));
        pieces
    })
}

fn as_wikitext(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Section(words) => out.push_str(&format!("== {words} ==\n")),
            Piece::Rule(words) => out.push_str(&format!("=== {words} ===\n")),
            Piece::Subrule(words) => out.push_str(&format!("==== {words} ====\n")),
            Piece::Prose(runs) => {
                for (mark, words) in runs {
                    out.push_str(&match mark {
                        0 => format!("'''{words}''' "),
                        1 => format!("''{words}'' "),
                        2 => format!("[[{words}]] "),
                        3 => format!("<code>{words}</code>\n"),
                        _ => format!("{words} "),
                    });
                }
                out.push_str("\n\n");
            }
            Piece::List(items) => {
                for (depth, numbered, words) in items {
                    let sign = if *numbered { "#" } else { "*" };
                    out.push_str(&format!("{} {words}\n", sign.repeat(*depth)));
                }
            }
            Piece::Table(rows) => {
                out.push_str("{| class=\"x\"\n");
                for row in rows {
                    out.push_str(&format!("|-\n| {}\n", row.join(" || ")));
                }
                out.push_str("|}\n");
            }
            Piece::Terms(terms) => {
                for (term, meaning) in terms {
                    out.push_str(&format!("; {term}\n: {meaning}\n"));
                }
            }
        }
    }
    out
}

fn as_html(pieces: &[Piece]) -> String {
    let mut out = String::from("<div>\n");
    for piece in pieces {
        match piece {
            Piece::Section(words) => out.push_str(&format!("<h2>{words}</h2>\n")),
            Piece::Rule(words) => out.push_str(&format!("<h3>{words}</h3>\n")),
            Piece::Subrule(words) => out.push_str(&format!("<h4>{words}</h4>\n")),
            Piece::Prose(runs) => {
                out.push_str("<p>");
                for (mark, words) in runs {
                    out.push_str(&match mark {
                        0 => format!("<b>{words}</b> "),
                        1 => format!("<i>{words}</i> "),
                        2 => format!("<a href=\"/x\">{words}</a> "),
                        3 => format!("<code>{words}</code>\n"),
                        _ => format!("{words} "),
                    });
                }
                out.push_str("</p>\n");
            }
            Piece::List(items) => {
                let mut open = 0;
                for (depth, numbered, words) in items {
                    while open > *depth {
                        out.push_str("</ul>");
                        open -= 1;
                    }
                    while open < *depth {
                        out.push_str("<ul>");
                        open += 1;
                    }
                    let end = if *numbered { "</li>" } else { "" };
                    out.push_str(&format!("<li>{words}{end}\n"));
                }
                out.push_str(&"</ul>".repeat(open));
            }
            Piece::Table(rows) => {
                out.push_str("<table>");
                for row in rows {
                    let cells = row.join("</td><td>");
                    out.push_str(&format!("<tr><td>{cells}</td></tr>\n"));
                }
                out.push_str("</table>");
            }
            Piece::Terms(terms) => {
                out.push_str("<dl>");
                for (term, meaning) in terms {
                    out.push_str(&format!("<dt>{term}</dt><dd>{meaning}</dd>"));
                }
                out.push_str("</dl>");
            }
        }
    }
    out.push_str("</div>");
    out
}

fn as_plain(pieces: &[Piece], gap: &str) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Section(words) | Piece::Rule(words) | Piece::Subrule(words) => {
                out.push_str(&format!("{}{words}\n", "A "));
            }
            Piece::Prose(runs) => {
                let runs: Vec<&str> = runs.iter().map(|(_, words)| words.as_str()).collect();
                out.push_str(&format!("{}.\n", runs.join(" ")));
            }
            Piece::List(items) => {
                for (number, (depth, numbered, words)) in (1..).zip(items) {
                    let sign = if *numbered {
                        format!("{number}.")
                    } else {
                        "•".to_owned()
                    };
                    out.push_str(&format!("{}{sign} {words}\n", " ".repeat(depth * 2)));
                }
            }
            Piece::Table(rows) => {
                for row in rows {
                    out.push_str(&format!("{} |\n", row.join(" | ")));
                }
            }
            Piece::Terms(terms) => {
                for (term, meaning) in terms {
                    out.push_str(&format!("{term}\n{meaning}.\n"));
                }
            }
        }
        out.push_str(gap);
    }
    out
}

/// Wikitext as nobody should write it.
fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        // Apart, so that a mark within a word does not make two of it.
        3 => word().prop_map(|word| format!(" {word} ")),
        2 => Just(" ".to_owned()),
        2 => Just("\n".to_owned()),
        4 => prop::sample::select(vec![
            "\n\n", "''", "'''", "'''''", "{|\n", "\n|}\n", "\n|-\n", "\n| ", " || ", "\n! ", "\n== ", " ==\n", "===", "\n* ",
            "\n#", "\n:", "\n;", " : ", "[[", "]]", "[http://a.example ", "]", "|", "{{", "}}", "<nowiki>", "</nowiki>", "<br>",
            "<b>", "</i>", "<zog>", "<", ">", "&amp;", "_", "__", "*", "`", "~~~", "```", "\n 1. ", "\\", "#", "----", " é ", " ß ",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(scrap, 0..60).prop_map(|scraps| scraps.concat())
}

#[test]
fn words_after_the_mark_of_a_row_are_kept_and_its_attributes_are_not() {
    let text = "{|\n|---- lost\n| a\n|- class=red\n| b\n|}\n";
    let kept = said(&read(text, SourceForm::Wikitext, "x"));
    assert_eq!(missing(&words("lost a b"), &kept), None);
    assert!(!kept.contains(&"red".to_owned()), "{kept:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_word_of_wikitext_is_kept(pieces in pieces()) {
        let text = as_wikitext(&pieces);
        let wanted = words(&text.replace("<code>", " ").replace("</code>", " ").replace("class=\"x\"", " "));
        let said = said(&read(&text, SourceForm::Wikitext, "x"));
        prop_assert_eq!(missing(&wanted, &said), None, "{}", text);
    }

    #[test]
    fn every_word_of_a_page_is_kept(pieces in pieces()) {
        let text = as_html(&pieces);
        let mut wanted = String::new();
        let mut in_tag = false;
        for letter in text.chars() {
            match letter {
                '<' => in_tag = true,
                '>' => {
                    in_tag = false;
                    wanted.push(' ');
                }
                letter if !in_tag => wanted.push(letter),
                _ => {}
            }
        }
        let said = said(&read(&text, SourceForm::Html, "x"));
        prop_assert_eq!(missing(&words(&wanted), &said), None, "{}", text);
    }

    #[test]
    fn every_word_of_plain_text_is_kept(pieces in pieces(), airy in any::<bool>()) {
        let text = as_plain(&pieces, if airy { "\n" } else { "" });
        let book = read(&text, SourceForm::Plain, "x");
        prop_assert_eq!(missing(&words(&text), &said(&book)), None, "{}", text);
    }

    #[test]
    fn every_word_of_any_plain_text_is_kept(text in "([a-zA-Z0-9éß .,:;|\\-•*#\\[\\]<>_`'\t]{0,40}\n){0,20}") {
        let book = read(&text, SourceForm::Plain, "x");
        // A title's own mark of being switched on or off is kept as a fact of the rule.
        prop_assert_eq!(missing(&words(&text), &said(&book)), None);
    }

    #[test]
    fn scraps_of_marks_are_read_and_lose_no_word(text in scraps()) {
        let book = read(&text, SourceForm::Wikitext, "x");
        let kept: Vec<String> = said(&book);
        let tags = ["nowiki", "br", "b", "i", "zog", "http", "a", "example", "amp"];
        for word in words(&text).iter().filter(|word| !tags.contains(&word.as_str())) {
            prop_assert!(kept.contains(word), "{} is missing", word);
        }
    }

    #[test]
    fn any_scraps_are_read_as_a_page_or_as_plain_text(text in scraps()) {
        read(&text, SourceForm::Html, "x");
        read(&text, SourceForm::Plain, "x");
    }
}
