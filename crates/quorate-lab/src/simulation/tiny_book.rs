//! Rulebooks of a few rules, for tests of random play.

use quorate_engine::rulebook::Rulebook;

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"core\"\ntitle = \"Core\"\n";

/// A rulebook of files, each with its path and its text.
pub(super) fn book(rules: &[(&str, &str)]) -> Rulebook {
    let rules = rules.iter();
    Rulebook {
        name: "t".into(),
        manifest: toml::from_str(MANIFEST).expect("it reads"),
        library: Vec::new(),
        rules: rules
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect(),
        tests: Vec::new(),
    }
}
