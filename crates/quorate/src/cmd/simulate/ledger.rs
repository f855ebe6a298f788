//! Long runs, each with a line in a ledger, so that they can be stopped and taken up again.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use quorate_engine::rulebook::Rulebook;
use quorate_kernel::Name;
use quorate_lab::simulation::SimulationFailure;
use quorate_lab::simulation::amendments::amend;
use quorate_lab::simulation::forecasts::prove;
use quorate_lab::simulation::without::play_without;
use serde_json::json;

use crate::output::{FOUND_WRONG, Output};

/// What is played in a run.
pub(super) enum RunKind {
    /// So many proposals, forecast, enacted, compared and undone.
    Forecasts(u64),
    /// So many amendments, with code of these rulebooks too.
    Amendments(u64, Vec<Rulebook>),
    /// So many steps without a rule.
    Without(Name, u64),
}

impl RunKind {
    /// What tells a run of a seed apart, for the ledger.
    fn head(&self, seed: u64) -> String {
        match self {
            Self::Forecasts(count) => format!("seed {seed} of {count}"),
            Self::Amendments(count, _) => format!("seed {seed} of {count} amendments"),
            Self::Without(rule, steps) => format!("without {rule} seed {seed} of {steps} steps"),
        }
    }

    /// How long it is, and in what.
    fn length(&self) -> (u64, &'static str) {
        match self {
            Self::Forecasts(count) => (*count, "proposals"),
            Self::Amendments(count, _) => (*count, "amendments"),
            Self::Without(_, steps) => (*steps, "steps"),
        }
    }

    /// Plays it, and says what came of it.
    fn play(
        &self,
        book: &Rulebook,
        seed: u64,
        progress: &dyn Fn(u64),
    ) -> Result<String, SimulationFailure> {
        match self {
            Self::Forecasts(count) => prove(book, seed, *count, progress).map(|tally| {
                format!(
                    "{} enacted as forecast ({} by trial throws), {} undone ({} compared before what hooks wrote then), {} kept by a rule",
                    tally.enacted, tally.by_trial_throws, tally.undone, tally.hooked, tally.kept
                )
            }),
            Self::Amendments(count, others) => {
                amend(book, others, seed, *count, progress).map(|tally| {
                    format!(
                        "{} made, {} undone, {} events judged again; at most {} fences asleep and {} clauses without a name",
                        tally.made, tally.undone, tally.events, tally.asleep, tally.lost
                    )
                })
            }
            Self::Without(rule, steps) => {
                play_without(book, rule, seed, *steps, progress).map(|tally| {
                    let broke: Vec<String> = tally.broke.into_iter().collect();
                    let broke = match broke.as_slice() {
                        [] => "nothing broke".to_owned(),
                        all => format!("{} lost names reached", all.len()),
                    };
                    format!(
                        "{} events, {} refused, {broke}",
                        tally.play.events, tally.play.refused
                    )
                })
            }
        }
    }
}

/// Where lines are kept.
pub(super) struct Ledger<'a> {
    /// The file; nothing where none is kept.
    pub(super) file: Option<&'a Path>,
    /// The commit that it names.
    pub(super) commit: &'a str,
}

/// Plays runs, but for those that the ledger has.
pub(super) fn play(
    book: &Rulebook,
    runs: &[(RunKind, u64)],
    ledger: &Ledger<'_>,
    out: &Output,
) -> Result<ExitCode> {
    let played = match ledger.file {
        Some(path) if path.exists() => std::fs::read_to_string(path)?,
        _ => String::new(),
    };
    let (mut passed, mut failures) = (0_u64, Vec::new());
    for (kind, seed) in runs {
        let head = format!("{} {} {}:", ledger.commit, book.name, kind.head(*seed));
        let head = head.trim_start();
        if played.lines().any(|line| line.starts_with(head)) {
            continue;
        }
        let (length, unit) = kind.length();
        let bar = out.progress(unit);
        let began = now();
        let came = kind.play(book, *seed, &|number| bar.at(number, length));
        bar.done();
        let came = match came {
            Ok(came) => {
                passed += 1;
                came
            }
            Err(failure) => {
                let what = failure.what.replace('\n', " ");
                let came = format!("failed at {} of {length} {unit}: {what}", failure.step);
                failures.push(json!({
                    "run": head, "step": failure.step, "message": failure.what, "log": failure.log,
                }));
                for line in &failure.log {
                    out.line(format!("    {line}"));
                }
                came
            }
        };
        let line = format!("{head} {came} ({} s)", began.elapsed().as_secs());
        out.line(&line);
        if let Some(path) = ledger.file {
            let mut file = std::fs::OpenOptions::new();
            let mut file = file.create(true).append(true).open(path)?;
            writeln!(file, "{line}")?;
        }
    }
    out.value(&json!({ "rulebook": book.name.as_str(), "passed": passed, "failed": failures }));
    out.line(format!("{passed} passed, {} failed", failures.len()));
    Ok(if failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a run took stands in the ledger, and nothing in the run knows of it"
)]
fn now() -> Instant {
    Instant::now()
}
