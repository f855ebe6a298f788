//! `quorate test`: runs rule tests.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, bail};
use quorate_engine::LawCache;
use quorate_engine::rulebook::Rulebook;
use quorate_engine::testing::{self, Runner, TestOutcome};
use quorate_law::RuleText;
use quorate_runtime::in_process::judged_again;
use serde_json::json;

use super::law_worker::again_by_workers;
use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;
use crate::threads;

/// What to test.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Rulebooks (folders or names), folders of rulebooks, or test files from anywhere. All rulebooks if none is given.
    paths: Vec<String>,
    /// Only tests whose name or file holds this.
    #[arg(long)]
    only: Option<String>,
    /// How many threads run tests.
    #[arg(long, default_value_t = threads::cores())]
    jobs: usize,
    /// Have the log of each game that a test plays judged again by a worker, which must come to the same.
    #[arg(long)]
    in_workers: bool,
    /// Drafts too, where a whole folder of rulebooks is tested.
    #[arg(long)]
    drafts: bool,
}

/// A test file: its name as shown, and its code.
struct File {
    name: String,
    code: String,
    /// The other files of its folder, which it may load from.
    helpers: Helpers,
}

/// Test files by name.
type Helpers = Arc<Vec<(String, String)>>;

/// Runs the tests.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let mut known = rulebooks::names();
    let files = files(arguments, &mut known)?;
    let results = tested(&files, &known, arguments, out)?;
    for (file, outcome) in &results {
        report(file, outcome, out);
    }
    let failed: Vec<_> = results
        .iter()
        .filter(|(_, outcome)| outcome.failed.is_some())
        .collect();
    out.value(&json!({
        "passed": results.len() - failed.len(),
        "failed": failed.iter().map(|(file, outcome)| json!({
            "name": format!("{file}::{}", outcome.name),
            "message": outcome.failed.as_ref().map(|failure| format!("line {}: {}", failure.line, failure.message)),
        })).collect::<Vec<_>>(),
    }));
    out.line(format!(
        "{} passed, {} failed",
        results.len() - failed.len(),
        failed.len()
    ));
    Ok(if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

/// The tests of all files, on as many threads as are allowed.
fn tested<'a>(
    files: &'a [File],
    known: &[String],
    arguments: &Arguments,
    out: &Output,
) -> Result<Vec<(&'a str, TestOutcome)>> {
    let laws = Arc::new(LawCache::default());
    let workers = arguments.in_workers.then(again_by_workers).transpose()?;
    let bar = out.progress("test files");
    let outcomes = threads::share(arguments.jobs, files.len(), |pieces| {
        let read: RefCell<BTreeMap<String, Option<Rc<Rulebook>>>> = RefCell::default();
        let find = |name: &str| {
            let mut read = read.borrow_mut();
            let entry = read.entry(name.to_owned());
            let book = entry.or_insert_with(|| rulebooks::read(name).ok().map(Rc::new));
            book.clone()
        };
        let mut runner = Runner::with_laws(&find, Arc::clone(&laws));
        if let Some(workers) = workers.clone() {
            runner = runner.looked_at(move |events, secret| judged_again(&workers, events, secret));
        }
        let run = |index: usize| {
            let File {
                name,
                code,
                helpers,
            } = &files[index];
            let helper = |file: &str| {
                let found = helpers.iter().find(|(name, _)| name == file);
                found.map(|(_, code)| code.clone())
            };
            bar.at(index as u64 + 1, files.len() as u64);
            (
                index,
                runner.run(name, code, &helper, arguments.only.as_deref()),
            )
        };
        Ok(testing::with_books(known.to_vec(), || {
            pieces.map(run).collect()
        }))
    })?;
    bar.done();
    let of_files = files.iter().zip(outcomes);
    let named = of_files.flat_map(|(file, outcomes)| {
        let outcomes = outcomes.into_iter();
        outcomes.map(|outcome| (file.name.as_str(), outcome))
    });
    Ok(named.collect())
}

/// What a test printed, and how it failed.
fn report(file: &str, outcome: &TestOutcome, out: &Output) {
    for line in &outcome.printed {
        out.line(format!("{file} {}: {line}", outcome.name));
    }
    let Some(failure) = &outcome.failed else {
        return;
    };
    out.line(format!(
        "{} {file}:{} {}",
        out.red("failed"),
        failure.line,
        out.bold(&outcome.name)
    ));
    out.line(format!("  {}", failure.message.replace('\n', "\n  ")));
    let from = failure.log.len().saturating_sub(12);
    for line in &failure.log[from..] {
        out.line(format!("    {line}"));
    }
}

fn files(arguments: &Arguments, known: &mut Vec<String>) -> Result<Vec<File>> {
    let paths = if arguments.paths.is_empty() {
        rulebooks::names()
    } else {
        arguments.paths.clone()
    };
    let mut files = Vec::new();
    for path in &paths {
        add(path, arguments, known, &mut files)?;
    }
    Ok(files)
}

/// The tests that rules carry in their text, on the lines on which they stand there.
fn carried(book: &Rulebook) -> Vec<File> {
    let mut files = Vec::new();
    for (name, text) in &book.rules {
        for fence in RuleText::parse(text).tests {
            files.push(File {
                name: format!("{}/rules/{name}", book.name),
                code: "\n".repeat(fence.line.saturating_sub(1) as usize) + &fence.code,
                helpers: Helpers::default(),
            });
        }
    }
    files
}

fn add(
    path: &str,
    arguments: &Arguments,
    known: &mut Vec<String>,
    files: &mut Vec<File>,
) -> Result<()> {
    let at = Path::new(path);
    if at.is_file() {
        files.push(File {
            name: path.to_owned(),
            code: rulebooks::read_text(at)?,
            helpers: match at.parent() {
                Some(folder) => Arc::new(rulebooks::texts(folder, "star")?),
                None => Helpers::default(),
            },
        });
        return Ok(());
    }
    let is_book = at.join("rulebook.toml").is_file() || !at.exists();
    if is_book {
        let book = rulebooks::read(path)?;
        let skipped = book.manifest.draft
            && arguments.paths.iter().all(|given| given != path)
            && !arguments.drafts;
        if skipped {
            return Ok(());
        }
        if !known.contains(&path.to_owned()) {
            known.push(path.to_owned());
        }
        if !known.contains(&book.name.to_string()) {
            known.push(book.name.to_string());
        }
        if let Some(code) = rulebooks::demo(path)? {
            files.push(File {
                name: format!("{}/demo.star", book.name),
                code,
                helpers: Helpers::default(),
            });
        }
        files.extend(carried(&book));
        let helpers = Arc::new(book.tests);
        files.extend(helpers.iter().map(|(name, code)| File {
            name: format!("{}/tests/{name}", book.name),
            code: code.clone(),
            helpers: Arc::clone(&helpers),
        }));
        return Ok(());
    }
    if !at.is_dir() {
        bail!("{path} is no rulebook, no folder and no test file");
    }
    let mut inner: Vec<_> = std::fs::read_dir(at)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    inner.sort();
    let books: Vec<_> = inner
        .iter()
        .filter(|path| path.join("rulebook.toml").is_file())
        .collect();
    if books.is_empty() {
        let helpers = Arc::new(rulebooks::texts(at, "star")?);
        files.extend(helpers.iter().map(|(name, code)| File {
            name: format!("{path}/{name}"),
            code: code.clone(),
            helpers: Arc::clone(&helpers),
        }));
        return Ok(());
    }
    for book in books {
        add(&book.to_string_lossy(), arguments, known, files)?;
    }
    Ok(())
}
