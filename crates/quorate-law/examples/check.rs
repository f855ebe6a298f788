//! Checks the rules of a rulebook's folder and prints what sleeps: `cargo run -p quorate-law --example check -- FOLDER`.

use std::fs;
use std::path::{Path, PathBuf};

use quorate_kernel::Name;
use quorate_law::{RuleSource, RuleText, compile};

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let sources = load(Path::new(&folder));
    let compiled = compile(&sources, 1);
    let mut found = 0;
    for asleep in &compiled.asleep {
        for finding in &asleep.diagnostics {
            let source = sources.iter().find(|source| source.rule == finding.rule);
            let text = source.map_or("", |source| source.text.source.as_str());
            eprintln!("{}", finding.render(text));
            found += 1;
        }
    }
    for warning in &compiled.warnings {
        let source = sources.iter().find(|source| source.rule == warning.rule);
        eprintln!(
            "{}",
            warning.render(source.map_or("", |source| source.text.source.as_str()))
        );
    }
    eprintln!(
        "{} texts, {} declarations, {} fences asleep, {found} findings",
        sources.len(),
        compiled.declarations.len(),
        compiled.asleep.len()
    );
}

/// The library texts that the rulebook names, then its rules in the order of their files.
fn load(folder: &Path) -> Vec<RuleSource> {
    let settings = fs::read_to_string(folder.join("rulebook.toml")).unwrap_or_default();
    let line = settings
        .lines()
        .find_map(|line| line.strip_prefix("std = ["));
    let names = line.unwrap_or("").trim_end_matches(']').split(',');
    let mut sources = Vec::new();
    for name in names
        .map(|name| name.trim().trim_matches('"'))
        .filter(|name| !name.is_empty())
    {
        let file = folder.join("../std").join(format!("{name}.star"));
        let code = fs::read_to_string(&file).unwrap_or_default();
        sources.push(source(name, true, RuleText::library(&code)));
    }
    let mut files = Vec::new();
    walk(&folder.join("rules"), &mut files);
    files.sort();
    for file in files {
        let text = RuleText::parse(&fs::read_to_string(&file).unwrap_or_default());
        let stem = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let id = stem
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches('-');
        sources.push(source(id, false, text));
    }
    sources
}

fn source(id: &str, library: bool, text: RuleText) -> RuleSource {
    RuleSource {
        rule: Name::from(id),
        title: text.title.clone().unwrap_or_else(|| id.to_owned()),
        library,
        since: 0,
        text,
        left: None,
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}
