//! `quorate forecast` with the real binary: of a post and of a file, for people and for programs, and nothing stays.

use std::path::Path;
use std::process::{Command, Output};

const CHANGES: &str = r#"[
  {"do": "rename_rule", "id": "nomic", "title": "Nomic, again"},
  {"do": "rename_player", "player": "Bert", "name": "Berta"}
]"#;

fn quorate(data: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate"));
    let output = command.args(words).arg("--data").arg(data).output();
    output.expect("the binary runs")
}

fn done(data: &Path, words: &[&str]) -> String {
    let output = quorate(data, words);
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{words:?}: {said}");
    said
}

fn data_of(data: &Path, words: &[&str]) -> serde_json::Value {
    let said = done(data, &[words, &["--json"]].concat());
    serde_json::from_str(&said).expect("it is JSON")
}

/// A game of Anna and Bert, and the path of a list of changes.
fn town(data: &Path) -> String {
    let file = data.join("changes.json");
    std::fs::write(&file, CHANGES).expect("the folder can be written");
    done(data, &["new", "one-page", "--id", "town"]);
    done(data, &["act", "town", "--as", "Bert", "apply-to-join"]);
    done(
        data,
        &["act", "town", "--as", "Anna", "admit", "applicant=Bert"],
    );
    file.to_string_lossy().into_owned()
}

#[test]
fn a_list_of_changes_is_forecast_in_words_and_as_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let file = town(data);
    let words = ["forecast", "town", "--changes", &file];
    let said = done(data, &words);
    for line in [
        "If it were enacted now",
        "  Renamed: Bert → Berta",
        "Whether rules can still be changed afterwards",
        "  Yes: such a proposal would be enacted",
        "In the queue",
    ] {
        assert!(said.contains(line), "{line} in {said}");
    }
    let told = data_of(data, &words);
    let changes = &told["forecast"]["alone"]["changes"];
    let rule = &changes[0]["outcomes"][0];
    assert_eq!(rule["share"], 1.0);
    assert_eq!(rule["consequence"]["what"], "rule");
    assert_eq!(rule["consequence"]["rule"], "nomic");
    assert_eq!(
        changes[1]["outcomes"][0]["consequence"]["player"]["called"],
        "Bert"
    );
    assert!(told["forecast"]["amending"]["passes"].is_object(), "{told}");
}

#[test]
fn a_post_is_forecast_with_its_place_in_the_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path();
    let file = town(data);
    let changes = format!("changes={file}");
    let post = [
        "act",
        "town",
        "--as",
        "Anna",
        "post",
        "category=Proposal",
        "title=Names",
        "body=So be it.",
    ];
    done(data, &[post.as_slice(), &[&changes]].concat());
    let log = data_of(data, &["log", "town"]);
    let last = log["last"].to_string();
    let by_file = data_of(data, &["forecast", "town", "--changes", &file]);
    let by_post = data_of(data, &["forecast", "town", &last]);
    assert_eq!(by_post["forecast"]["digest"], by_file["forecast"]["digest"]);
    assert_eq!(by_post["forecast"]["alone"], by_file["forecast"]["alone"]);
    assert_eq!(
        by_post["forecast"]["queue"]["ahead"],
        serde_json::Value::Null
    );
    assert_eq!(by_file["forecast"]["queue"]["ahead"]["count"], 1);
    assert_eq!(data_of(data, &["log", "town"]), log, "something came of it");
    let missing = quorate(data, &["forecast", "town", "99"]);
    assert_eq!(missing.status.code(), Some(2));
}
