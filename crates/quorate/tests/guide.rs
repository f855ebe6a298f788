//! The rule author's guide tells the truth: its examples are a rulebook that checks, its tests pass, the tutorial's game
//! works after each of its steps, and every name that rule code and rule tests can call is told and used.
//!
//! A comment before an example says where it goes: `<!-- file: rules/… -->` for a file of the rulebook, to which later
//! examples of that name are added, and `<!-- test: … -->` for a file of tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use quorate_engine::judge::{Inputs, Judge, Judged};
use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{self, FUNCTIONS, METHODS, Runner, TestOutcome};
use quorate_kernel::command::{Act, Actor, Command};
use quorate_law::reference;

/// The name of the example's rulebook.
const BOOK: &str = "harbour";

/// The page that gives every declaration, attribute and function.
const REFERENCE: &str = "reference.md";

/// Languages whose examples must say where they go.
const CHECKED: [&str; 3] = ["starlark", "markdown", "toml"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A page of the documentation: its name below `docs`, and its text.
struct Page {
    name: String,
    text: String,
}

fn page(name: &str) -> Page {
    let path = repository().join("docs").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Page {
        name: name.to_owned(),
        text,
    }
}

/// The pages of the guide, in the order in which its first page lists them.
fn guide() -> Vec<Page> {
    let index = page("guide/README.md");
    let mut names: Vec<String> = Vec::new();
    for link in index.text.split("](").skip(1) {
        let target = link.split([')', '#']).next().unwrap_or_default();
        let known = names.iter().any(|name| name == target);
        if !target.contains('/') && !known {
            names.push(target.to_owned());
        }
    }
    names
        .iter()
        .map(|name| page(&format!("guide/{name}")))
        .collect()
}

/// The examples: the files of the rulebook by path, each the sum of its parts.
fn examples(pages: &[Page]) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for page in pages {
        add_examples(&page.name, &page.text, &mut files);
    }
    files
}

fn add_examples(page: &str, text: &str, files: &mut BTreeMap<String, String>) {
    let mut mark: Option<String> = None;
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if let Some(path) = marked(line, "file") {
            mark = Some(path.to_owned());
            continue;
        }
        if let Some(name) = marked(line, "test") {
            mark = Some(format!("tests/{name}.star"));
            continue;
        }
        let ticks = line.chars().take_while(|c| *c == '`').count();
        if ticks < 3 {
            continue;
        }
        let (fence, language) = line.split_at(ticks);
        let body: String = lines
            .by_ref()
            .map(|(line, _)| line)
            .take_while(|line| *line != fence)
            .flat_map(|line| [line, "\n"])
            .collect();
        let mark = mark.take();
        if !CHECKED.contains(&language) {
            continue;
        }
        let path =
            mark.unwrap_or_else(|| panic!("{page}:{number}: the example says nowhere to go"));
        let file = files.entry(path).or_default();
        if !file.is_empty() {
            file.push('\n');
        }
        file.push_str(&body);
    }
}

fn marked<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.strip_prefix("<!-- ")?
        .strip_prefix(word)?
        .strip_prefix(": ")?
        .strip_suffix(" -->")
}

fn rulebook(files: &BTreeMap<String, String>) -> Rulebook {
    let manifest = toml::from_str(&files["rulebook.toml"]).expect("the manifest reads");
    let below = |folder: &str, ending: &str| -> Vec<(String, String)> {
        files
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix(folder)?, text)))
            .filter(|(path, _)| path.ends_with(ending))
            .map(|(path, text)| (path.to_owned(), text.clone()))
            .collect()
    };
    let manifest: quorate_engine::rulebook::Manifest = manifest;
    let shared = repository().join("rulebooks/std");
    let library = manifest.std.iter().map(|stem| {
        let path = shared.join(format!("{stem}.star"));
        let code = std::fs::read_to_string(path).expect("the library is there");
        (stem.clone(), code)
    });
    let library = library.collect();
    Rulebook {
        name: BOOK.into(),
        manifest,
        library,
        rules: below("rules/", ".md"),
        tests: below("tests/", ".star"),
    }
}

fn example() -> Rulebook {
    rulebook(&examples(&guide()))
}

/// What is wrong with the law of a rulebook, as the checker tells it.
fn mistakes(book: &Rulebook) -> Vec<String> {
    let founding = book
        .founding(&book.manifest.title, "Anna")
        .expect("the rulebook reads");
    let laws = std::sync::Arc::default();
    let mut judge = Judge::unfounded(&laws);
    let command = Command {
        at: "2031-05-04T09:00Z".parse().expect("a moment"),
        actor: Actor::Operator,
        key: "guide".into(),
        act: Act::Found(Box::new(founding)),
    };
    let judged = judge.judge(&command, &Inputs::default());
    assert!(matches!(judged, Judged::Event(_)), "{judged:?}");
    let law = judge.law();
    law.asleep
        .iter()
        .flat_map(|asleep| &asleep.diagnostics)
        .chain(&law.warnings)
        .map(ToString::to_string)
        .collect()
}

/// The tests of a rulebook that fail.
fn failures(book: Rulebook) -> Vec<TestOutcome> {
    let book = Rc::new(book);
    let find = |name: &str| (name == BOOK).then(|| Rc::clone(&book));
    testing::with_books(vec![BOOK.to_owned()], || {
        let runner = Runner::new(&find);
        let mut failed = Vec::new();
        for (file, code) in &book.tests {
            let outcomes = runner.run(file, code, &testing::no_helpers, None);
            assert!(!outcomes.is_empty(), "{file} holds no tests");
            failed.extend(outcomes.into_iter().filter(|it| it.failed.is_some()));
        }
        failed
    })
}

#[test]
fn the_examples_make_a_law_that_checks() {
    assert_eq!(mistakes(&example()), Vec::<String>::new());
}

#[test]
fn the_tests_in_the_guide_pass() {
    let failed = failures(example());
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn the_tutorial_has_a_game_that_works_after_each_step() {
    let tutorial = page("guide/tutorial.md");
    let ends = tutorial.text.match_indices("\n## ").map(|(end, _)| end);
    let ends = ends.skip(1).chain([tutorial.text.len()]);
    let mut steps = 0;
    for end in ends {
        let mut files = BTreeMap::new();
        add_examples(&tutorial.name, &tutorial.text[..end], &mut files);
        let step = &tutorial.text[..end].matches("\n## ").count();
        let book = rulebook(&files);
        assert_eq!(mistakes(&book), Vec::<String>::new(), "after step {step}");
        let failed = failures(book);
        assert!(failed.is_empty(), "after step {step}: {failed:#?}");
        steps += 1;
    }
    assert!(steps >= 10, "only {steps} steps were found");
}

#[test]
fn the_first_page_lists_every_page() {
    let mut listed: Vec<String> = guide().into_iter().map(|page| page.name).collect();
    listed.push("guide/README.md".to_owned());
    listed.sort();
    let folder = std::fs::read_dir(repository().join("docs/guide")).expect("the guide is there");
    let mut found: Vec<String> = folder
        .map(|entry| entry.expect("a file").file_name())
        .map(|name| format!("guide/{}", name.to_string_lossy()))
        .collect();
    found.sort();
    assert_eq!(found, listed);
}

#[test]
fn the_reference_gives_every_signature_and_the_guide_uses_every_name() {
    let reference = page(REFERENCE).text;
    let files = examples(&guide());
    let code: String = files
        .iter()
        .filter(|(path, _)| path.starts_with("rules/"))
        .map(|(_, text)| text.as_str())
        .collect();
    let mut missing = Vec::new();
    for entry in reference::library() {
        if !reference.contains(&format!("`{}`", entry.signature)) {
            missing.push(format!("no `{}`", entry.signature));
        }
        let used = match entry.name.split_once('.') {
            Some((_, method)) => format!(".{method}("),
            None => format!("{}(", entry.name),
        };
        if !code.contains(&used) {
            missing.push(format!("no rule of the example uses {}", entry.name));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_reference_names_every_attribute() {
    let page = page(REFERENCE).text;
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    let heads = |kind: &str| match kind {
        "Entity" => "any entity".to_owned(),
        "Row" => "any row".to_owned(),
        kind => format!("`{kind}`"),
    };
    let mut missing = Vec::new();
    for attribute in reference::attributes() {
        let head = format!("| {} |", heads(attribute.of));
        let named = rows
            .iter()
            .any(|row| row.starts_with(&head) && row.contains(&format!("`{}`", attribute.name)));
        if !named {
            missing.push(format!("{}.{}", attribute.of, attribute.name));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_guide_has_an_example_of_every_word_of_the_test_language() {
    let files = examples(&guide());
    let tests: String = files
        .iter()
        .filter(|(path, _)| path.starts_with("tests/"))
        .map(|(_, text)| text.as_str())
        .collect();
    let functions = FUNCTIONS.iter().map(|name| format!("{name}("));
    let methods = METHODS.iter().map(|name| format!("g.{name}("));
    let missing: Vec<String> = functions
        .chain(methods)
        .filter(|used| !tests.contains(used))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_methods_that_are_listed_are_those_that_games_have() {
    let book = Rc::new(example());
    let find = |name: &str| (name == BOOK).then(|| Rc::clone(&book));
    let calls = METHODS.map(|name| format!("def test_{name}():\n    game(\"harbour\").{name}()\n"));
    let code = calls.concat();
    testing::with_books(vec![BOOK.to_owned()], || {
        for outcome in Runner::new(&find).run("methods", &code, &testing::no_helpers, None) {
            let message = outcome.failed.map(|failure| failure.message);
            let unknown = message
                .as_deref()
                .is_some_and(|it| it.contains("has no method"));
            assert!(!unknown, "{}: {message:?}", outcome.name);
        }
    });
}

fn help(command: &str) -> Option<String> {
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_quorate"))
        .args([command, "--help"])
        .output()
        .expect("the program runs");
    let text = String::from_utf8(program.stdout).expect("help is text");
    program.status.success().then_some(text)
}

/// What a word begins with, if it is a flag: `--data` of `--data=x`.
fn flag(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--")?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    (!name.is_empty()).then(|| &word[..end.map_or(word.len(), |end| end + 2)])
}

#[test]
fn the_commands_in_the_documentation_are_there_with_their_flags() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let mut pages = guide();
    pages.push(page("operators-guide.md"));
    for Page { name: page, text } in &pages {
        for line in text.lines() {
            let Some(command) = line.strip_prefix("quorate ") else {
                continue;
            };
            let command = command.split('#').next().unwrap_or("");
            let mut words = command.split_whitespace();
            let Some(help) = words.next().and_then(help) else {
                wrong.push(format!("{page}: no such command: {line}"));
                continue;
            };
            seen += 1;
            for flag in words.filter_map(flag).filter(|flag| !help.contains(flag)) {
                wrong.push(format!("{page}: no {flag}: {line}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(seen >= 6, "only {seen} commands were found");
}

#[test]
fn the_flags_of_serve_are_all_told() {
    let page = page("operators-guide.md").text + &page("nodes.md").text;
    let help = help("serve").expect("there is `serve`");
    let flags: Vec<&str> = help
        .split_whitespace()
        .filter_map(flag)
        .filter(|flag| !matches!(*flag, "--help" | "--json"))
        .collect();
    assert!(flags.len() >= 5, "{flags:?}");
    for flag in flags {
        assert!(page.contains(&format!("`{flag}")), "{flag} is not told");
    }
}
