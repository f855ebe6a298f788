//! `quorate coverage`: which ids of a checklist the rule tests prove, and whether those tests bite.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use quorate_engine::rulebook::Rulebook;
use quorate_lab::mutation::{
    self, Biting, Mutant, MutantTrial, StrictTrial, TestOrder, TestRun, bitten,
};
use serde_json::json;

use super::mutate::with_quiet_panics;
use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;
use crate::threads;

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A rulebook: a folder, or the name of one in the rulebooks folder.
    rulebook: String,
    /// A file with lines such as: - `2019.1.5a` — what it says. [code]
    #[arg(long, required_unless_present = "strict")]
    checklist: Option<PathBuf>,
    /// Empty the fence under each clause, one after the other, and run tests. A clause that no test misses is named, and
    /// an id counts as proven only where a test that claims it fails without the code of some clause. Code that most tests
    /// cannot begin without is a foundation: to fail without that proves nothing, but to fail with a small change of it does.
    /// A test whose text says `Of the machine: …` is about what no rulebook's code decides, and counted apart. Takes minutes.
    #[arg(long)]
    strict: bool,
    /// With --strict: how many fences are tried at a time.
    #[arg(long, default_value_t = 1, requires = "strict")]
    jobs: usize,
}

/// Compares.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let book = rulebooks::read(&arguments.rulebook)?;
    let tried = || with_quiet_panics(|| strict(&book, arguments.jobs, out));
    let strict = arguments.strict.then(tried).transpose()?;
    let listed = match &arguments.checklist {
        Some(path) => compared(&book, &rulebooks::read_text(path)?, strict.as_ref(), out),
        None => Listed::default(),
    };
    out.value(&json!({
        "proven": listed.proven,
        "unproven": listed.unproven,
        "unknown": listed.unknown,
        "clauses": strict.as_ref().map(|strict| strict.clauses),
        "unmissed": strict.as_ref().map(|strict| &strict.unmissed),
        "foundations": strict.as_ref().map(|strict| &strict.foundations),
        "machine": strict.as_ref().map(|strict| &strict.machine),
        "toothless": strict.as_ref().map(|strict| &strict.toothless),
    }));
    let all_bite =
        strict.is_none_or(|strict| strict.unmissed.is_empty() && strict.toothless.is_empty());
    let fine = listed.unproven.is_empty() && listed.unknown.is_empty() && all_bite;
    Ok(if fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

/// The ids of a checklist.
#[derive(Default)]
struct Listed {
    /// Those that are to be proven and are.
    proven: Vec<String>,
    /// Those that are to be proven and are not.
    unproven: Vec<String>,
    /// Those that a test claims and the checklist does not have.
    unknown: Vec<String>,
}

fn compared(book: &Rulebook, checklist: &str, strict: Option<&Strict>, out: &Output) -> Listed {
    let (wanted, listed) = ids(checklist);
    let mut claimed: BTreeMap<String, bool> = BTreeMap::new();
    for (_, code) in &book.tests {
        for (test, id) in proves(code) {
            let counts = strict.is_none_or(|strict| {
                strict.biting.contains(&test) || strict.machine.contains(&test)
            });
            *claimed.entry(id).or_default() |= counts;
        }
    }
    let (proven, unproven): (Vec<_>, Vec<_>) = wanted
        .into_iter()
        .partition(|id| claimed.get(id).is_some_and(|counts| *counts));
    let unknown: Vec<_> = claimed
        .into_keys()
        .filter(|id| !listed.contains(id))
        .collect();
    let all = proven.len() + unproven.len();
    out.line(format!("{} of {all} clauses proven", proven.len()));
    if !unproven.is_empty() {
        out.line(format!("{}: {}", out.red("unproven"), unproven.join(", ")));
    }
    if !unknown.is_empty() {
        out.line(format!(
            "{}: {}",
            out.red("not in the checklist"),
            unknown.join(", ")
        ));
    }
    Listed {
        proven,
        unproven,
        unknown,
    }
}

/// What came of emptying the fences.
struct Strict {
    /// How many fences have code.
    clauses: usize,
    /// Where the code of a clause is missed by no test.
    unmissed: Vec<String>,
    /// Where code stands that most tests cannot begin without.
    foundations: Vec<String>,
    /// The tests that fail without some clause.
    biting: BTreeSet<String>,
    /// Those that say that they are of the machine, and fail without none.
    machine: BTreeSet<String>,
    /// All others that fail without none, as far as was tried.
    toothless: Vec<String>,
}

/// Nobody begins without a foundation: what a test says of one shows by a small change in it.
fn bite_on_foundations(
    book: &Rulebook,
    jobs: usize,
    tests: &TestOrder,
    fences: &[Mutant],
    biting: &mut Biting,
) -> Result<()> {
    let toothless = biting.toothless(tests);
    let all = mutation::of_rulebook(book, &[]);
    let small = mutation::small_changes(all, fences, &biting.foundations);
    let noticed = threads::share(jobs, toothless.len(), |pieces| {
        let trial = StrictTrial::new(book, tests)?;
        let tried = pieces.map(|piece| (piece, trial.notices(toothless[piece], &small)));
        Ok(tried.collect())
    })?;
    let names: Vec<&str> = tests.names().collect();
    let found = toothless.into_iter().zip(noticed);
    for (test, _) in found.filter(|(_, noticed)| noticed.is_some()) {
        biting.tests.insert(names[test].to_owned(), Vec::new());
    }
    Ok(())
}

/// Empties the fences one after the other and runs tests.
fn strict(book: &Rulebook, jobs: usize, out: &Output) -> Result<Strict> {
    let fences = mutation::emptied(book);
    let tests = mutation::tests_of(book)?;
    MutantTrial::new(book, &tests)?.unchanged()?;
    let bar = out.progress("clauses");
    let first = threads::share(jobs, fences.len(), |pieces| {
        let trial = StrictTrial::new(book, &tests)?;
        let tried = pieces.map(|fence| {
            bar.at(fence as u64 + 1, fences.len() as u64);
            (fence, trial.of(fence, &fences))
        });
        Ok(tried.collect())
    })?;
    let mut runs: Vec<TestRun> = first.into_iter().flatten().collect();
    let left = bitten(fences.len(), &tests, &runs).left(book, &tests, &fences, &runs);
    let second = threads::share(jobs, left.len(), |pieces| {
        let trial = StrictTrial::new(book, &tests)?;
        let tried = pieces.map(|piece| {
            let (fence, some) = &left[piece];
            (piece, trial.of_tests(*fence, &fences, some))
        });
        Ok(tried.collect())
    })?;
    runs.extend(second.into_iter().flatten());
    let mut biting = bitten(fences.len(), &tests, &runs);
    bite_on_foundations(book, jobs, &tests, &fences, &mut biting)?;
    bar.done();
    let place = |fence: &usize| {
        let fence = &fences[*fence];
        let path = &book.rules[fence.file].0;
        format!(
            "{}/rules/{path}:{}: {}",
            book.name, fence.line, fence.change
        )
    };
    let said: BTreeSet<String> = book
        .tests
        .iter()
        .flat_map(|(_, code)| of_machine(code))
        .collect();
    let idle = tests.names().map(str::to_owned);
    let idle = idle.filter(|name| !biting.tests.contains_key(name));
    let (machine, toothless): (Vec<_>, Vec<_>) = idle.partition(|name| said.contains(name));
    let machine: BTreeSet<String> = machine.into_iter().collect();
    let strict = Strict {
        clauses: fences.len(),
        unmissed: biting.unmissed.iter().map(place).collect(),
        foundations: biting.foundations.iter().map(place).collect(),
        machine,
        toothless,
        biting: biting.tests.into_keys().collect(),
    };
    out.line(format!(
        "{} of {} fences missed by a test when they are empty, {} of them foundations; {} of {} tests bite, {} are of the machine",
        strict.clauses - strict.unmissed.len(),
        strict.clauses,
        strict.foundations.len(),
        strict.biting.len(),
        strict.biting.len() + strict.machine.len() + strict.toothless.len(),
        strict.machine.len()
    ));
    for place in &strict.unmissed {
        out.line(format!("{} {place}", out.red("missed by no test")));
    }
    for name in &strict.toothless {
        out.line(format!("{} {name}", out.red("bites on nothing")));
    }
    Ok(strict)
}

/// The ids marked `[code]`, in order, and all ids.
fn ids(checklist: &str) -> (Vec<String>, BTreeSet<String>) {
    let mut wanted = Vec::new();
    let mut listed = BTreeSet::new();
    for line in checklist.lines() {
        let Some(mut rest) = line.strip_prefix("- ") else {
            continue;
        };
        // A line may be about several ids.
        let mut of_line = Vec::new();
        while let Some((id, after)) = rest.strip_prefix('`').and_then(|id| id.split_once('`')) {
            of_line.push(id.to_owned());
            rest = after;
            let Some(more) = rest.strip_prefix(", ") else {
                break;
            };
            rest = more;
        }
        listed.extend(of_line.iter().cloned());
        if rest.contains("[code]") {
            of_line.retain(|id| !wanted.contains(id));
            wanted.extend(of_line);
        }
    }
    (wanted, listed)
}

/// The lines of a file's tests that begin with a word, what follows it, each with its test.
fn lines_of<'a>(code: &'a str, word: &'static str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut test = "";
    code.lines().filter_map(move |line| {
        if let Some(name) = line.strip_prefix("def ") {
            test = name.split('(').next().unwrap_or_default();
        }
        Some((test, line.trim().strip_prefix(word)?))
    })
}

/// The tests of a file that are about what no rulebook's code decides.
fn of_machine(code: &str) -> impl Iterator<Item = String> {
    lines_of(code, "Of the machine:").map(|(test, _)| test.to_owned())
}

/// The tests of a file that say what they prove, each with an id.
fn proves(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (test, ids) in lines_of(code, "Proves:") {
        let ids = ids
            .split(',')
            .map(|id| id.trim().trim_end_matches("\"\"\"").trim());
        let ids = ids.filter(|id| !id.is_empty());
        found.extend(ids.map(|id| (test.to_owned(), id.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checklist_gives_its_ids_and_tests_give_theirs() {
        let (wanted, listed) = ids(
            "- `1.2a`, `1.2c` — a thing. [code]\n- `1.2b` — see `1.9`. [judgement]\n- `2` `[code]` no comma.\n- no id. [code]\n",
        );
        assert_eq!(wanted, ["1.2a", "1.2c", "2"]);
        assert_eq!(listed.len(), 4);
        assert_eq!(
            proves("def test_x():\n    \"\"\"It holds.\n\n    Proves: 1.2a, 1.2b\"\"\"\n"),
            ["1.2a", "1.2b"].map(|id| ("test_x".to_owned(), id.to_owned()))
        );
        let of: Vec<String> = of_machine(
            "def test_x():\n    \"\"\"It holds.\n\n    Of the machine: dice.\n    \"\"\"\ndef test_y():\n",
        )
        .collect();
        assert_eq!(of, ["test_x"]);
    }
}
