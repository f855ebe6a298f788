//! `quorate mutate`: does a rulebook's tests notice when one small thing in its code is another?

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use quorate_engine::rulebook::Rulebook;
use quorate_lab::mutation::{
    self, EquivalentMutants, Mutant, MutantTrial, MutantVerdict, TestOrder,
};
use serde_json::json;

use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;
use crate::threads;

/// Changes one small thing in a rule's code at a time and runs the rulebook's tests: a change that no test notices has
/// survived, and shows what the tests do not look at.
///
/// Changed are: comparisons (turned round, and moved by one at their boundary), numbers (one up, one down), `and` and
/// `or`, `not`, `in`, True and False, the signs of sums, `min` and `max`. Taken away are: statements that have an
/// effect, early returns, whatever acts by being declared (permit, forbid, on, after, changed, automatic, modify,
/// exclude, prioritise, condition, decision), and arguments that hold a declaration back (limit, by, min, max, unique,
/// outside, `shown_to`, author, gap, shared, but). What only people read is left alone: texts, titles, notes, and what a
/// refusal shows. A change that makes code sleep is no mutant and is not counted.
///
/// A change that can make no difference is listed in `mutants.toml` in the rulebook's folder, each with its reason:
///
///     [[equivalent]]
///     rule = "votes"
///     line = "return used[-1] if used else \"\""
///     change = "`1` becomes `2`"
///     why = "there is never more than one."
///
/// The same mutants come in the same order each time, and `--sample` draws the same ones for the same seed.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A rulebook: a folder, or the name of one.
    rulebook: String,
    /// Only the rules of these code names, such as `votes`, or those of a section's folder, such as `1-core`.
    #[arg(long = "rule", value_name = "ID")]
    rules: Vec<String>,
    /// Only the first so many mutants.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only so many mutants, drawn from all.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// The seed that the sample is drawn by.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many mutants are tried at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The share of mutants, in percent, that may survive before this command finds it too many.
    #[arg(long, value_name = "PERCENT", default_value_t = 10)]
    most: usize,
    /// Name the mutants, and try none.
    #[arg(long)]
    list: bool,
}

/// Tries the mutants.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let book = rulebooks::read(&arguments.rulebook)?;
    let known = known(&arguments.rulebook)?;
    let (mutants, equivalent) = chosen(arguments, &book, &known)?;
    if arguments.list {
        for mutant in &mutants {
            out.line(place(&book, mutant));
        }
        out.line(format!("{} mutants", mutants.len()));
        return Ok(ExitCode::SUCCESS);
    }
    let tests = mutation::tests_of(&book)?;
    MutantTrial::new(&book, &tests)?.unchanged()?;
    let verdicts = with_quiet_panics(|| tried(arguments, &book, &tests, &mutants, out))?;
    Ok(report(
        arguments, &book, &mutants, &verdicts, equivalent, out,
    ))
}

/// The mutants that are asked for, and how many were left out for being known to make no difference.
fn chosen(
    arguments: &Arguments,
    book: &Rulebook,
    known: &EquivalentMutants,
) -> Result<(Vec<Mutant>, usize)> {
    let mut mutants = mutation::of_rulebook(book, &arguments.rules);
    if mutants.is_empty() {
        bail!("there is no such rule, or no code in it that could be changed");
    }
    let all = mutants.len();
    mutants.retain(|mutant| !known.holds(mutant));
    let equivalent = all - mutants.len();
    if let Some(count) = arguments.sample {
        mutants = mutation::sample(mutants, count, arguments.seed);
    }
    mutants.truncate(arguments.limit.unwrap_or(usize::MAX));
    Ok((mutants, equivalent))
}

fn known(rulebook: &str) -> Result<EquivalentMutants> {
    let given = PathBuf::from(rulebook);
    let folder = if given.join("rulebook.toml").is_file() {
        Some(given)
    } else {
        rulebooks::folder().map(|books| books.join(rulebook))
    };
    let Some(path) = folder.map(|folder| folder.join("mutants.toml")) else {
        return Ok(EquivalentMutants::default());
    };
    if !path.is_file() {
        return Ok(EquivalentMutants::default());
    }
    let known = EquivalentMutants::read(&rulebooks::read_text(&path)?);
    known.with_context(|| format!("{} does not read", path.display()))
}

/// Tries all mutants, several at a time; verdicts in the mutants' order.
fn tried(
    arguments: &Arguments,
    book: &Rulebook,
    tests: &TestOrder,
    mutants: &[Mutant],
    out: &Output,
) -> Result<Vec<MutantVerdict>> {
    let bar = out.progress("mutants");
    let verdicts = threads::share(arguments.jobs, mutants.len(), |pieces| {
        let trial = MutantTrial::new(book, tests)?;
        let tried = pieces.map(|index| {
            let mutant = &mutants[index];
            let verdict = trial.of(mutant);
            if verdict == MutantVerdict::Survived {
                out.line(format!("{} {}", out.red("survived"), place(book, mutant)));
            }
            bar.at(index as u64 + 1, mutants.len() as u64);
            (index, verdict)
        });
        Ok(tried.collect())
    })?;
    bar.done();
    Ok(verdicts)
}

/// Mutants may make the engine panic; that is noticed, and nothing to print.
pub(super) fn with_quiet_panics<T>(run: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = run();
    std::panic::set_hook(hook);
    result
}

/// Where a mutant stands and what it is.
fn place(book: &Rulebook, mutant: &Mutant) -> String {
    let path = &book.rules[mutant.file].0;
    format!(
        "{}/rules/{path}:{}: {}\n    {}",
        book.name, mutant.line, mutant.change, mutant.code
    )
}

fn report(
    arguments: &Arguments,
    book: &Rulebook,
    mutants: &[Mutant],
    verdicts: &[MutantVerdict],
    equivalent: usize,
    out: &Output,
) -> ExitCode {
    let count = |wanted: fn(&MutantVerdict) -> bool| verdicts.iter().filter(|v| wanted(v)).count();
    let noticed = count(|verdict| matches!(verdict, MutantVerdict::Noticed { .. }));
    let survived = count(|verdict| *verdict == MutantVerdict::Survived);
    let no_law = count(|verdict| *verdict == MutantVerdict::NoLaw);
    let tried = noticed + survived;
    // In tenths of a percent, rounded up, so that nothing that survived reads as nothing.
    let share = (survived * 1_000).div_ceil(tried.max(1));
    let survivors = mutants.iter().zip(verdicts);
    let survivors = survivors.filter(|(_, verdict)| **verdict == MutantVerdict::Survived);
    out.value(&json!({
        "rulebook": book.name.as_str(),
        "noticed": noticed,
        "survived": survived,
        "no_law": no_law,
        "equivalent": equivalent,
        "survivors": survivors.map(|(mutant, _)| json!({
            "rule": mutant.rule.as_str(),
            "file": format!("rules/{}", book.rules[mutant.file].0),
            "line": mutant.line,
            "code": mutant.code,
            "change": mutant.change,
        })).collect::<Vec<_>>(),
    }));
    out.line(format!(
        "{noticed} noticed, {survived} survived ({}.{} %); {no_law} that do not check, {equivalent} known to make no difference",
        share / 10,
        share % 10
    ));
    if share > arguments.most * 10 {
        ExitCode::from(FOUND_WRONG)
    } else {
        ExitCode::SUCCESS
    }
}
