//! `quorate check`: does a rulebook's law check, and does a game of it begin?

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow};
use quorate_engine::LawCache;
use quorate_engine::judge::{Inputs, Judge};
use quorate_engine::law::lost::dependences;
use quorate_engine::rulebook::Rulebook;
use quorate_engine::words::worded;
use quorate_kernel::Name;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_lab::independence::Lexicon;
use quorate_law::{Dependence, Diagnostic};
use serde_json::json;

use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;

/// What to check.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A rulebook: a folder, or the name of one in the rulebooks folder.
    rulebook: String,
    /// Read, compile and check it so many times, and tell the median of how long that took.
    #[arg(long, value_name = "COUNT")]
    times: Option<usize>,
}

/// Checks a rulebook.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let book = rulebooks::read(&arguments.rulebook)?;
    if let Some(times) = arguments.times {
        return timed(&book, times, out);
    }
    let laws = Arc::default();
    let judge = founded(&book, &laws)?;
    let law = judge.law();
    let mut found = Vec::new();
    for asleep in &law.asleep {
        found.extend(
            asleep
                .diagnostics
                .iter()
                .map(|diagnostic| ("error", diagnostic)),
        );
    }
    found.extend(
        law.warnings
            .iter()
            .map(|diagnostic| ("warning", diagnostic)),
    );
    for (severity, diagnostic) in &found {
        out.line(render(&book, severity, diagnostic, out));
    }
    let errors = law.asleep.len();
    let unnamed = unnamed(&judge);
    for dependence in &unnamed {
        out.line(dependence_line(&judge, dependence));
    }
    out.value(&json!({
        "rulebook": book.name.as_str(),
        "errors": errors,
        "diagnostics": found.iter().map(|(severity, d)| json!({
            "severity": severity, "rule": d.rule.as_str(), "line": d.line, "column": d.column, "text": d.text, "help": d.help,
        })).collect::<Vec<_>>(),
        "unnamed": unnamed.iter().map(|unnamed| json!({
            "rule": unnamed.rule.as_str(), "clause": unnamed.clause, "name": unnamed.name, "of": unnamed.of.as_str(),
            "lives_on": unnamed.lives_on,
        })).collect::<Vec<_>>(),
    }));
    out.line(format!(
        "{}: {} rules, {} actions, {} values; {}",
        book.name,
        book.rules.len(),
        law.actions.len(),
        law.values.len(),
        if errors == 0 {
            out.green("checks")
        } else {
            out.red(&would_sleep(errors))
        },
    ));
    Ok(if errors == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

/// How long a game of a rulebook takes to begin: nearly all of it is the check and the compilation of its law.
fn timed(book: &Rulebook, times: usize, out: &Output) -> Result<ExitCode> {
    let mut took = Vec::with_capacity(times);
    for _ in 0..times.max(1) {
        let began = now();
        founded(book, &Arc::default())?;
        took.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    took.sort_by(f64::total_cmp);
    let median = took[took.len() / 2];
    out.value(&json!({ "rulebook": book.name.as_str(), "median_ms": median, "times": times }));
    out.line(format!(
        "{}: {median:.0} ms, median of {}",
        book.name,
        took.len()
    ));
    Ok(ExitCode::SUCCESS)
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a check takes is what is asked, and nothing that is checked knows of it"
)]
fn now() -> Instant {
    Instant::now()
}

/// Where rules use what others provide whom their prose does not name. A rule goes with those it stands under.
pub(super) fn unnamed(judge: &Judge) -> Vec<Dependence> {
    let lexicon = Lexicon::of(judge.state(), judge.law());
    let all = dependences(judge.state()).into_iter();
    let is_under = |it: &Dependence| judge.law().place(&it.rule).line.contains(&it.of);
    all.filter(|it| !is_under(it) && !lexicon.names(&it.rule, std::slice::from_ref(&it.of)))
        .collect()
}

/// "note: Combat, clause 3, uses `blinded` of Blindness, which its prose does not name".
pub(super) fn dependence_line(judge: &Judge, unnamed: &Dependence) -> String {
    let title = |rule: &Name| {
        let rule = judge.state().rules.get(rule);
        rule.map_or_else(String::new, |rule| worded(judge.state(), &rule.title))
    };
    let without = if unnamed.lives_on {
        "it would go on without that rule"
    } else {
        "it would break without that rule"
    };
    format!(
        "note: {}, clause {}, uses `{}` of {}, which its prose does not name; {without}",
        title(&unnamed.rule),
        unnamed.clause,
        unnamed.name,
        title(&unnamed.of)
    )
}

/// "2 fences would sleep".
pub(super) fn would_sleep(fences: usize) -> String {
    match fences {
        1 => "1 fence would sleep".to_owned(),
        fences => format!("{fences} fences would sleep"),
    }
}

/// How many fences of a rulebook would sleep in a game of it.
pub(crate) fn asleep(book: &Rulebook) -> Result<usize> {
    let laws = Arc::default();
    Ok(founded(book, &laws)?.law().asleep.len())
}

/// A game of a rulebook, at its first moment.
pub(crate) fn founded(book: &Rulebook, laws: &Arc<LawCache>) -> Result<Judge> {
    let founding = book.founding(&book.manifest.title, "Anna")?;
    let mut judge = Judge::unfounded(laws);
    let at = "2031-05-04T09:00Z".parse()?;
    let command = Command {
        at,
        actor: Actor::Operator,
        key: "check".into(),
        act: Act::Found(Box::new(founding)),
    };
    let judged = judge.judge(&command, &Inputs::default());
    if let Err(refusal) = judged.event() {
        return Err(anyhow!(
            "a game of this rulebook cannot be founded: it {refusal}"
        ));
    }
    Ok(judge)
}

fn render(book: &Rulebook, severity: &str, diagnostic: &Diagnostic, out: &Output) -> String {
    let file = book
        .rules
        .iter()
        .find(|(path, _)| quorate_engine::rulebook::rule_id(path) == diagnostic.rule);
    let (place, head) = match file {
        // The law holds the text without its head; the author's file has it.
        Some((path, text)) => (format!("rules/{path}"), head_lines(text)),
        None => (diagnostic.rule.to_string(), 0),
    };
    let severity = if severity == "error" {
        out.red(severity)
    } else {
        severity.to_owned()
    };
    let help = diagnostic
        .help
        .as_ref()
        .map(|help| format!("\n  help: {help}"))
        .unwrap_or_default();
    format!(
        "{place}:{}:{}: {severity}: {}{help}",
        diagnostic.line as usize + head,
        diagnostic.column,
        diagnostic.text
    )
}

fn head_lines(text: &str) -> usize {
    let body = quorate_engine::rulebook::body_of(text);
    text.lines().count().saturating_sub(body.lines().count())
}
