//! Comment texts, each way that people write votes: `comments.txt` says how each is read.

use super::*;

fn words() -> IconWords {
    let names = ["for", "against", "deferential", "veto"].map(Name::from);
    let alias = (Name::from("def"), Name::from("deferential"));
    let names = names.iter().map(|name| (name, name));
    names.chain([(&alias.0, &alias.1)]).collect()
}

fn said(text: &str) -> String {
    let icons = read(text, &words()).icons;
    let names: Vec<&str> = icons.iter().map(Name::as_str).collect();
    names.join(" ")
}

#[test]
fn every_text_of_the_table_is_read_as_it_says() {
    let table = include_str!("comments.txt");
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| !line.starts_with("# What"))
        .map(|line| line.rsplit_once("=>").expect("a text and its icons"))
        .collect();
    assert!(rows.len() >= 300, "{} rows", rows.len());
    let wrong: Vec<String> = rows
        .into_iter()
        .filter_map(|(text, icons)| {
            let typed = text.strip_suffix(' ').unwrap_or(text);
            let typed = typed.replace("\\n", "\n").replace("\\\\", "\\");
            let found = said(&typed);
            (found != icons.trim()).then(|| format!("{text}: read as \"{found}\", not \"{icons}\""))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_beside_a_chosen_vote_hold_no_icon() {
    for text in [
        "I see :against: coming",
        "`:for:` and :for:",
        "\\:for:",
        "> :for:",
        "plain",
        "`:for: unclosed",
    ] {
        let quiet = quieted(text, &words());
        assert!(read(&quiet, &words()).icons.is_empty(), "{text} → {quiet}");
        let vote = ballot("veto", text, &words());
        assert_eq!(said(&vote), "veto", "{vote}");
    }
    assert_eq!(quieted("plain: words", &words()), "plain: words");
}

#[test]
fn a_text_that_begins_with_an_icon_is_a_vote() {
    let opens = |text| read(text, &words()).opens_with_one;
    assert!(opens(":for:") && opens("  :FOR: it") && opens("*:for:*"));
    assert!(!opens("well, :for:") && !opens("> x\n\n:for:") && !opens("plain"));
}
