//! `quorate simulate`: random play, with what must hold looked at after every step.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow};
use quorate_engine::rulebook::Rulebook;
use quorate_lab::simulation::{self, SimulationFailure, SimulationTally, without};
use quorate_runtime::judge::Judges;
use quorate_worker::judges::WorkerJudges;
use serde_json::json;

use super::law_worker::again_by_workers;
use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;
use ledger::{Ledger, RunKind};

mod ledger;

/// The word for each rule in turn.
const EACH: &str = "each";

/// What to play, and how much of it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A rulebook: a folder, or the name of one.
    rulebook: String,
    /// The seed that everything follows from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Several seeds in place of one: from A up to but without B.
    #[arg(long, value_name = "A..B", conflicts_with = "seed")]
    seeds: Option<String>,
    /// How many commands each seed tries.
    #[arg(long, default_value_t = 2_000)]
    steps: u64,
    /// In place of random play: so many random proposals a seed, each forecast, enacted, compared and undone.
    #[arg(long, value_name = "COUNT", conflicts_with = "steps")]
    forecasts: Option<u64>,
    /// In place of random play: so many random amendments a seed, in one game, with code of the other rulebooks and with
    /// mutated code. What comes to the log is judged again after each.
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["steps", "forecasts"])]
    amendments: Option<u64>,
    /// Random play without this rule, by its code name, or without each rule in turn: `each`. Nothing may break but what asks
    /// for a name that went, and nobody amends the law.
    #[arg(long, value_name = "RULE", conflicts_with_all = ["amendments", "forecasts"])]
    without: Option<String>,
    /// With --forecasts, --amendments or --without: a file with a line for each run that was played under a commit. Runs that
    /// are in it are left out, so that they can be stopped and taken up again.
    #[arg(long, value_name = "FILE", requires = "commit")]
    ledger: Option<PathBuf>,
    /// Have each game's log judged again by a worker, which must come to the same.
    #[arg(long, conflicts_with_all = ["amendments", "forecasts", "without"])]
    in_workers: bool,
    /// The commit that the ledger names.
    #[arg(long)]
    commit: Option<String>,
}

/// Simulates.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let book = rulebooks::read(&arguments.rulebook)?;
    let seeds = match &arguments.seeds {
        Some(range) => range_of(range)?,
        None => arguments.seed..arguments.seed + 1,
    };
    let runs = runs(arguments, &book, &seeds)?;
    if !runs.is_empty() {
        let ledger = Ledger {
            file: arguments.ledger.as_deref(),
            commit: arguments.commit.as_deref().unwrap_or_default(),
        };
        return ledger::play(&book, &runs, &ledger, out);
    }
    let place = note_panics();
    let workers = arguments.in_workers.then(again_by_workers).transpose()?;
    let (mut passed, mut failed, mut steps) = (0_u64, Vec::new(), 0);
    for seed in seeds {
        out.line(format!(
            "{} seed {seed}, {} steps",
            book.name, arguments.steps
        ));
        match one(&book, seed, arguments.steps, workers.as_ref(), out) {
            Ok(tally) => {
                passed += 1;
                steps += tally.steps;
                out.line(format!(
                    "  {} events, {} refused, {} laws, {} looks at whether {} matters close: {}",
                    tally.events,
                    tally.refused,
                    tally.laws,
                    tally.closed,
                    tally.matters,
                    out.green("holds")
                ));
            }
            Err(mut failure) => {
                steps += failure.step.saturating_sub(1);
                if let Some(place) = place.lock().ok().and_then(|mut place| place.take()) {
                    failure.what = format!("{} ({place})", failure.what);
                }
                report(arguments, seed, &failure, out);
                failed.push((seed, failure));
            }
        }
    }
    out.value(&json!({
        "rulebook": book.name.as_str(),
        "steps": steps,
        "passed": passed,
        "failed": failed.iter().map(|(seed, failure)| json!({
            "seed": seed, "step": failure.step, "message": failure.what, "log": failure.log,
        })).collect::<Vec<_>>(),
    }));
    out.line(format!("{passed} passed, {} failed", failed.len()));
    if let Some((seed, _)) = failed.first() {
        out.line(repeat(arguments, *seed));
    }
    Ok(if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

/// The long runs that the arguments ask for: what is played, and with which seeds.
fn runs(
    arguments: &Arguments,
    book: &Rulebook,
    seeds: &std::ops::Range<u64>,
) -> Result<Vec<(RunKind, u64)>> {
    let mut runs = Vec::new();
    if let Some(count) = arguments.forecasts {
        runs.extend(seeds.clone().map(|seed| (RunKind::Forecasts(count), seed)));
    }
    if let Some(count) = arguments.amendments {
        let others = rulebooks::names().into_iter();
        let others = others.filter(|name| book.name != name.as_str());
        let others: Vec<Rulebook> = others
            .map(|name| rulebooks::read(&name))
            .collect::<Result<_>>()?;
        let run = |seed| (RunKind::Amendments(count, others.clone()), seed);
        runs.extend(seeds.clone().map(run));
    }
    if let Some(rule) = &arguments.without {
        let rules = match rule.as_str() {
            EACH => without::rules_of(book).map_err(|failure| anyhow!(failure.what))?,
            rule => vec![rule.into()],
        };
        for rule in rules {
            let run = |seed| (RunKind::Without(rule.clone(), arguments.steps), seed);
            runs.extend(seeds.clone().map(run));
        }
    }
    Ok(runs)
}

fn one(
    book: &Rulebook,
    seed: u64,
    steps: u64,
    workers: Option<&WorkerJudges>,
    out: &Output,
) -> Result<SimulationTally, SimulationFailure> {
    let bar = out.progress("steps");
    let workers = workers.map(|workers| workers as &dyn Judges);
    let played = simulation::play(book, seed, steps, workers, &|step| bar.at(step, steps));
    bar.done();
    played
}

fn report(arguments: &Arguments, seed: u64, failure: &SimulationFailure, out: &Output) {
    out.line(format!(
        "  {} at step {}: {}",
        out.red("failed"),
        failure.step,
        failure.what
    ));
    for line in &failure.log {
        out.line(format!("    {line}"));
    }
    out.line(format!("  {}", repeat(arguments, seed)));
}

/// The command that comes to the same failure again. It has all steps of the run, for how long a game keeps its law depends on them.
fn repeat(arguments: &Arguments, seed: u64) -> String {
    let steps = arguments.steps;
    format!(
        "again: quorate simulate {} --seed {seed} --steps {steps}",
        arguments.rulebook
    )
}

/// Keeps where a panic happened in place of printing it: the report says it once.
fn note_panics() -> Arc<Mutex<Option<String>>> {
    let place = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&place);
    std::panic::set_hook(Box::new(move |panic| {
        if let (Ok(mut noted), Some(at)) = (noted.lock(), panic.location()) {
            *noted = Some(at.to_string());
        }
    }));
    place
}

fn range_of(range: &str) -> Result<std::ops::Range<u64>> {
    let (from, to) = range
        .split_once("..")
        .context("several seeds are written 1..51")?;
    Ok(from.trim().parse().context("a seed is a number")?
        ..to.trim().parse().context("a seed is a number")?)
}
