//! What nobody sees by reading one file: habits of the whole repository, each checked in a file of
//! its own. They run as plain tests and by `cargo xtask tidy`.

mod arrows;
mod changelog;
mod cycles;
mod docs;
mod finding;
mod floors;
mod glossary;
mod inputs;
mod leftovers;
mod libraries;
mod licences;
mod lines;
mod map;
mod modules;
mod names;
mod places;
mod repo;
mod rooms;
mod rule_words;
mod rust;
mod sight;
mod sizes;
mod templates;
mod tests_alike;
mod turns;
mod walks;

use anyhow::Result;

use finding::Finding;
pub(crate) use lines::BEFORE;
use repo::Repo;
pub(crate) use repo::root;

/// A habit, and what breaks it.
type Check = (&'static str, fn(&Repo) -> Vec<Finding>);

const CHECKS: [Check; 21] = [
    ("floors", floors::check),
    ("cycles", cycles::check),
    ("rooms", rooms::check),
    ("sight", sight::check),
    ("libraries", libraries::check),
    ("licences", licences::check),
    ("inputs", inputs::check),
    ("rule words", rule_words::check),
    ("sizes", sizes::check),
    ("templates", templates::check),
    ("lines", lines::check),
    ("names", names::check),
    ("tests alike", tests_alike::check),
    ("places", places::check),
    ("leftovers", leftovers::check),
    ("turns", turns::check),
    ("docs", docs::check),
    ("glossary", glossary::check),
    ("map", map::check),
    ("walks", walks::check),
    ("changelog", changelog::check),
];

/// Runs every check and prints what it finds. Advice does not fail.
pub(crate) fn run() -> Result<bool> {
    let repo = Repo::load(&root())?;
    let mut holds = true;
    for (name, check) in CHECKS {
        for finding in check(&repo) {
            println!("tidy, {name}: {finding}");
            holds &= finding.advice;
        }
    }
    Ok(holds)
}

/// Prints how much production code there is, and how much there was at a commit.
pub(crate) fn print_lines(against: &str) -> Result<bool> {
    let now = lines::count(&Repo::load(&root())?);
    print!(
        "{}",
        lines::table(against, &lines::count_at(against)?, &now)
    );
    Ok(true)
}

/// Prints the type names that are defined more than once.
pub(crate) fn print_names() -> Result<bool> {
    print!("{}", names::list(&Repo::load(&root())?));
    Ok(true)
}

/// Fails with all that the check finds in this repository.
#[cfg(test)]
fn assert_holds(check: fn(&Repo) -> Vec<Finding>) {
    let repo = Repo::load(&root()).unwrap();
    let broken: Vec<_> = check(&repo)
        .iter()
        .filter(|f| !f.advice)
        .map(ToString::to_string)
        .collect();
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

/// The messages of all findings, to compare in a check's own tests.
#[cfg(test)]
fn found(check: impl Fn(&Repo) -> Vec<Finding>, repo: &Repo) -> Vec<String> {
    let findings = check(repo);
    findings
        .into_iter()
        .map(|finding| {
            Finding {
                advice: false,
                ..finding
            }
            .to_string()
        })
        .collect()
}
