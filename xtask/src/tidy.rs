//! What nobody sees by reading one file: habits of the whole repository, each checked in a file of
//! its own. They run as plain tests and by `cargo xtask tidy`.

mod changelog;
mod docs;
mod floors;
mod inputs;
mod leftovers;
mod libraries;
mod licences;
mod lines;
mod map;
mod names;
mod places;
mod repo;
mod rule_words;
mod rust;
mod sizes;
mod tests_alike;

use std::fmt;

use anyhow::Result;

pub(crate) use lines::BEFORE;
use repo::Repo;
pub(crate) use repo::root;

/// One habit.
struct Check {
    name: &'static str,
    run: fn(&Repo) -> Vec<Finding>,
}

const CHECKS: [Check; 14] = [
    Check {
        name: "floors",
        run: floors::check,
    },
    Check {
        name: "libraries",
        run: libraries::check,
    },
    Check {
        name: "licences",
        run: licences::check,
    },
    Check {
        name: "inputs",
        run: inputs::check,
    },
    Check {
        name: "rule words",
        run: rule_words::check,
    },
    Check {
        name: "sizes",
        run: sizes::check,
    },
    Check {
        name: "lines",
        run: lines::check,
    },
    Check {
        name: "names",
        run: names::check,
    },
    Check {
        name: "tests alike",
        run: tests_alike::check,
    },
    Check {
        name: "places",
        run: places::check,
    },
    Check {
        name: "leftovers",
        run: leftovers::check,
    },
    Check {
        name: "docs",
        run: docs::check,
    },
    Check {
        name: "map",
        run: map::check,
    },
    Check {
        name: "changelog",
        run: changelog::check,
    },
];

/// Something that breaks a habit, or, as advice, strains it.
#[derive(Debug)]
struct Finding {
    path: String,
    line: usize,
    message: String,
    advice: bool,
}

impl Finding {
    fn error(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line,
            message: message.into(),
            advice: false,
        }
    }

    fn advice(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            advice: true,
            ..Self::error(path, line, message)
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            message,
            advice,
        } = self;
        let grade = if *advice { "advice: " } else { "" };
        write!(f, "{path}:{line}: {grade}{message}")
    }
}

/// Runs every check and prints what it finds. Advice does not fail.
pub(crate) fn run() -> Result<bool> {
    let repo = Repo::load(&root())?;
    let mut holds = true;
    for check in &CHECKS {
        for finding in (check.run)(&repo) {
            println!("tidy, {}: {finding}", check.name);
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
    check(repo).iter().map(ToString::to_string).collect()
}
