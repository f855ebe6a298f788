//! What the checker says, word for word: rule files in `check/bad` beside what is said of them, and rule files in
//! `check/good` of which nothing is said.
//!
//! After a change of words run `UPDATE_CHECKS=1 cargo test -p quorate-law --test check` and read the difference.

use std::fs;
use std::path::{Path, PathBuf};

use quorate_kernel::Name;
use quorate_law::{Diagnostic, RuleSource, RuleText, compile};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/check")
        .join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".md") && !name.ends_with(".older.md")
        })
        .collect();
    found.sort();
    found
}

fn source(rule: &str, file: &Path, since: u64) -> RuleSource {
    let text = RuleText::parse(&fs::read_to_string(file).expect("a rule file"));
    RuleSource {
        rule: Name::from(rule),
        title: text.title.clone().unwrap_or_else(|| rule.to_owned()),
        library: false,
        since,
        text,
        left: None,
    }
}

/// All that is said of a file; a file of the same name with `older` in it is a rule that was there before.
fn said(file: &Path) -> Vec<(Diagnostic, String)> {
    let older = file.with_extension("older.md");
    let mut sources = vec![source("example", file, 2)];
    if older.is_file() {
        sources.push(source("older", &older, 1));
    }
    let compiled = compile(&sources, 1);
    let mut all: Vec<Diagnostic> = compiled
        .asleep
        .iter()
        .flat_map(|asleep| asleep.diagnostics.clone())
        .chain(compiled.warnings)
        .collect();
    all.sort_by_key(|one| (one.rule.clone(), one.line, one.column));
    let text = |rule: &Name| {
        let source = sources.iter().find(|source| source.rule == *rule);
        source.map_or("", |source| source.text.source.as_str())
    };
    let rendered = all.into_iter().map(|one| {
        let page = one.render(text(&one.rule));
        (one, page)
    });
    rendered.collect()
}

#[test]
fn what_is_said_of_a_mistake_stands_beside_it() {
    let update = std::env::var_os("UPDATE_CHECKS").is_some();
    let files = files("bad");
    assert!(files.len() >= 30, "there are {} bad examples", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let pages: Vec<String> = said(&file).into_iter().map(|(_, page)| page).collect();
        let page = pages.join("\n");
        let beside = file.with_extension("txt");
        if update {
            fs::write(&beside, &page).expect("the words can be written");
        }
        let wanted = fs::read_to_string(&beside).unwrap_or_default();
        if page != wanted {
            wrong.push(format!(
                "{}\nsaid:\n{page}\nwanted:\n{wanted}",
                file.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
}

#[test]
fn every_mistake_is_found_at_its_line_and_column() {
    for file in files("bad") {
        let said = said(&file);
        assert!(!said.is_empty(), "nothing is said of {}", file.display());
        for (one, page) in said {
            let text = fs::read_to_string(&file).expect("a rule file");
            let line = text.lines().nth(one.line as usize - 1).unwrap_or("");
            let inside = one.column >= 1 && one.column as usize <= line.chars().count() + 1;
            assert!(inside || one.rule == "older", "{}:\n{page}", file.display());
        }
    }
}

#[test]
fn nothing_is_said_of_what_is_right() {
    for file in files("good") {
        let pages: Vec<String> = said(&file).into_iter().map(|(_, page)| page).collect();
        assert!(
            pages.is_empty(),
            "{}:\n{}",
            file.display(),
            pages.join("\n")
        );
    }
}
