//! What nobody should send, sent to the real binary: each is a refusal that names its place, and nothing comes of it.

use std::path::Path;
use std::process::{Command, Output};

/// How a command ends that did what it was asked and was refused.
const REFUSED: i32 = 1;
/// How a command ends that could not do what it was asked.
const FAILED: i32 = 2;

fn quorate(data: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quorate"))
        .args(words)
        .arg("--data")
        .arg(data)
        .output()
        .expect("the binary runs")
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).into_owned()
}

fn event_count(data: &Path) -> usize {
    let log = quorate(data, &["log", "town", "--json"]);
    let log: serde_json::Value = serde_json::from_slice(&log.stdout).expect("the log reads");
    let events = log.as_array().or_else(|| log["events"].as_array());
    events.expect("the log lists events").len()
}

/// A game of Anna, its founder and admin, and Bert, a player.
fn town(data: &Path) {
    let steps: [&[&str]; 3] = [
        &["new", "adventurers-2019", "--id", "town"],
        &["act", "town", "--as", "Bert", "apply-to-join"],
        &[
            "act",
            "town",
            "--as",
            "Anna",
            "admit-player",
            "applicant=Bert",
        ],
    ];
    for step in steps {
        let output = quorate(data, step);
        assert!(output.status.success(), "{step:?}: {}", said(&output));
    }
}

/// Who does what, how it ends, and what is said of it.
type Bad<'a> = (&'a str, &'a [&'a str], i32, &'a str);

const NAMES: [Bad<'_>; 6] = [
    ("", &["apply-to-join"], REFUSED, "a name that is not empty"),
    ("bert", &["apply-to-join"], REFUSED, "on the roster already"),
    ("\u{410}nna", &["apply-to-join"], REFUSED, "one script"),
    ("An\u{7}na", &["apply-to-join"], REFUSED, "without control"),
    ("Bo  b", &["apply-to-join"], REFUSED, "double spaces"),
    (
        "Zed",
        &["dice", "DICE6"],
        FAILED,
        "nobody here is called Zed: there are Anna, Bert",
    ),
];

const ACTS: [Bad<'_>; 14] = [
    ("Bert", &["fly"], REFUSED, "an action called \"fly\""),
    ("Bert", &["hunt-monster"], REFUSED, "a Monster"),
    (
        "Bert",
        &["hunt-monster", "monster=Nessie"],
        REFUSED,
        "monster",
    ),
    ("Bert", &["travel", "wings=2"], REFUSED, "wings"),
    (
        "Bert",
        &["admit-player", "applicant=Anna"],
        REFUSED,
        "admin",
    ),
    (
        "Bert",
        &["post", "category=Poem", "title=x", "body=y"],
        FAILED,
        "there is no category Poem",
    ),
    (
        "Bert",
        &["post", "category=Entry", "title=", "body=y"],
        REFUSED,
        "title",
    ),
    ("Bert", &["comment", "post=99", "text=x"], REFUSED, "post"),
    (
        "Bert",
        &["comment", "post=nine", "text=x"],
        FAILED,
        "no post is called \"nine\"",
    ),
    (
        "Bert",
        &["dice", "DICE1000000000000000000000"],
        REFUSED,
        "at most 21 digits",
    ),
    ("Bert", &["wihdraw", "1"], REFUSED, "such as withdraw"),
    (
        "Bert",
        &["answer", "value=yes"],
        REFUSED,
        "a question that waits for your answer",
    ),
    (
        "Bert",
        &["dice", "at -2DICE6"],
        REFUSED,
        "a word such as DICE6",
    ),
    (
        "Bert",
        &["wake", "rule=nowhere", "fence=first"],
        FAILED,
        "a fence is a number",
    ),
];

#[test]
fn what_cannot_be_is_refused_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    town(data);
    let before = event_count(data);
    let mut wrong = Vec::new();
    for (who, words, code, wanted) in NAMES.iter().chain(&ACTS) {
        let command = [&["act", "town", "--as", who], *words].concat();
        let output = quorate(data, &command);
        let said = said(&output);
        if output.status.code() != Some(*code) || !said.contains(wanted) {
            wrong.push(format!("{command:?} says {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let long = "a".repeat(65);
    let output = quorate(data, &["act", "town", "--as", &long, "apply-to-join"]);
    assert!(said(&output).contains("at most 64 characters"));
    assert_eq!(event_count(data), before, "something came of it");
}

#[test]
fn what_a_rule_needs_is_told_in_the_words_of_the_theme() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let founded = quorate(data, &["new", "dda-55", "--id", "space"]);
    assert!(founded.status.success(), "{}", said(&founded));
    let post = ["post", "category=Victory", "title=Mine"];
    let told = said(&quorate(
        data,
        &[&["why", "space", "--as", "Anna"], &post[..]].concat(),
    ));
    assert!(
        told.contains("an author who is not the DDA Commander"),
        "{told}"
    );
}

#[test]
fn the_same_command_sent_twice_counts_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    town(data);
    let command = [
        "act", "town", "--as", "Bert", "--key", "again", "dice", "DICE6",
    ];
    let first = quorate(data, &command);
    let before = event_count(data);
    let second = quorate(data, &command);
    assert_eq!(said(&first), said(&second));
    assert_eq!(event_count(data), before);
}

#[test]
fn a_game_that_is_not_there_and_a_folder_that_is_in_use_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    town(data);
    let nowhere = quorate(data, &["act", "city", "--as", "Bert", "dice", "DICE6"]);
    assert_eq!(nowhere.status.code(), Some(FAILED));
    assert!(said(&nowhere).contains("there is no game \"city\""));
    let again = quorate(data, &["new", "adventurers-2019", "--id", "town"]);
    assert_eq!(again.status.code(), Some(FAILED), "{}", said(&again));
    assert!(said(&again).contains("town"), "{}", said(&again));
}

#[test]
fn a_broken_rulebook_is_told_by_file_line_and_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("broken");
    let rules = book.join("rules/1-core");
    std::fs::create_dir_all(&rules).expect("a folder of rules");
    std::fs::write(
        book.join("rulebook.toml"),
        "title = \"Broken\"\nabout = \"It does not check.\"\nstd = []\n\n[[section]]\nid = \"core\"\ntitle = \"Core\"\n",
    )
    .expect("a manifest");
    std::fs::write(
        rules.join("01-luck.md"),
        "---\nsection: core\n---\n# Luck\n\n1. Luck is a number.\n\n```starlark\nluck = number(\"Luck\", of = plyer)\n```\n",
    )
    .expect("a rule");
    let output = Command::new(env!("CARGO_BIN_EXE_quorate"))
        .arg("check")
        .arg(&book)
        .output()
        .expect("the binary runs");
    let said = said(&output);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("01-luck.md:9:28"), "{said}");
    assert!(said.contains("did you mean `player`"), "{said}");
}
