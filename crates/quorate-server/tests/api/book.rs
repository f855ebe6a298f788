//! A rulebook read from its folder.

use std::fs;
use std::path::Path;

use quorate_engine::rulebook::{Manifest, Rulebook};

/// Reads a rulebook of this repository.
pub(crate) fn read(name: &str) -> Rulebook {
    let books = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks");
    let folder = books.join(name);
    let manifest = fs::read_to_string(folder.join("rulebook.toml")).unwrap();
    let manifest: Manifest = toml::from_str(&manifest).unwrap();
    let library = manifest.std.iter().map(|stem| {
        let file = books.join("std").join(format!("{stem}.star"));
        (stem.clone(), fs::read_to_string(file).unwrap())
    });
    let library = library.collect();
    let mut rules = Vec::new();
    collect(&folder.join("rules"), "md", "", &mut rules);
    rules.sort();
    let mut tests = Vec::new();
    collect(&folder.join("tests"), "star", "", &mut tests);
    tests.sort();
    Rulebook {
        name: name.into(),
        manifest,
        library,
        rules,
        tests,
    }
}

fn collect(folder: &Path, ending: &str, above: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            collect(&path, ending, &format!("{name}/"), found);
        } else if path.extension().is_some_and(|kind| kind == ending) {
            found.push((name, fs::read_to_string(path).unwrap()));
        }
    }
}
