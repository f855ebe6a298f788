//! `quorate check`: does a rulebook's law check, and does a game of it begin?

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use quorate_engine::LawCache;
use quorate_engine::judge::{Inputs, Judge};
use quorate_engine::rulebook::Rulebook;
use quorate_kernel::command::{Act, Actor, Command};
use quorate_law::Diagnostic;
use serde_json::json;

use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;

/// What to check.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A rulebook: a folder, or the name of one in the rulebooks folder.
    rulebook: String,
}

/// Checks a rulebook.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let book = rulebooks::read(&arguments.rulebook)?;
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
    out.value(&json!({
        "rulebook": book.name.as_str(),
        "errors": errors,
        "diagnostics": found.iter().map(|(severity, d)| json!({
            "severity": severity, "rule": d.rule.as_str(), "line": d.line, "column": d.column, "text": d.text, "help": d.help,
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
            out.red(&format!("{errors} fences would sleep"))
        },
    ));
    Ok(if errors == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
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
