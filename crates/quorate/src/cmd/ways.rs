//! `quorate ways`: every way to change something in a game, and who may.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use quorate_lab::simulation::ways::{self, ChangeWay, ChangedKind, WayCell, WaysTable};
use serde_json::json;

use super::mutate::with_quiet_panics;
use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;

/// Of which rulebooks.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Rulebooks: folders, or names.
    #[arg(required = true)]
    rulebooks: Vec<String>,
    /// Print nothing, and find wrong what stands otherwise in this file.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// How many clauses are named for each way; of more, their number is told.
const NAMED: usize = 5;

/// Prints the tables in Markdown.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let known = match &arguments.check {
        Some(path) => Some(rulebooks::read_text(path)?),
        None => None,
    };
    let mut stale = Vec::new();
    for name in &arguments.rulebooks {
        let book = rulebooks::read(name)?;
        let table = with_quiet_panics(|| ways::table(&book))?;
        let text = markdown(&book.manifest.title, &table);
        match &known {
            Some(known) if known.contains(text.trim_end()) => {}
            Some(_) => stale.push(name.as_str()),
            None => {
                out.line(text);
                out.value(&as_json(book.name.as_str(), &table));
            }
        }
    }
    if stale.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    out.line(format!(
        "{}: print it anew with `quorate ways {}`",
        out.red("the table is out of date"),
        stale.join(" ")
    ));
    Ok(ExitCode::from(FOUND_WRONG))
}

fn markdown(title: &str, table: &WaysTable) -> String {
    let mut text = format!("## {title}\n\n|");
    for way in ChangeWay::ALL {
        let _ = write!(text, " | {}", way.word());
    }
    let _ = writeln!(text, " |\n|{}", "---|".repeat(ChangeWay::ALL.len() + 1));
    for kind in ChangedKind::ALL {
        let _ = write!(text, "| **{}**", kind.word());
        for way in ChangeWay::ALL {
            let cell = table.get(&(kind, way));
            let _ = write!(text, " | {}", cell.map_or_else(|| NEVER.to_owned(), who));
        }
        text.push_str(" |\n");
    }
    let _ = write!(text, "\nBy these clauses:\n\n");
    for kind in ChangedKind::ALL {
        let ways = ChangeWay::ALL
            .into_iter()
            .filter_map(|way| Some((way, table.get(&(kind, way))?)));
        let told: Vec<String> = ways
            .filter_map(|(way, cell)| Some(format!("  - {}: {}", way.word(), told(cell)?)))
            .collect();
        if !told.is_empty() {
            let _ = writeln!(text, "- **{}**\n{}", kind.word(), told.join("\n"));
        }
    }
    text
}

/// What stands where there is no such way.
const NEVER: &str = "–";

/// Who may, in a word or two.
fn who(cell: &WayCell) -> String {
    let open: Vec<&str> = cell.open.keys().map(String::as_str).collect();
    match (open.is_empty(), cell.refused.is_empty()) {
        (false, _) => open.join("; "),
        (true, false) => "refused".to_owned(),
        (true, true) => NEVER.to_owned(),
    }
}

/// Who may by which clauses, and by which it is refused; none where no clause has a say.
fn told(cell: &WayCell) -> Option<String> {
    let open = cell.open.iter().filter_map(|(who, clauses)| {
        let clauses = named(clauses);
        (!clauses.is_empty()).then(|| format!("{who} ({clauses})"))
    });
    let mut told: Vec<String> = open.collect();
    let refused = named(&cell.refused);
    if !refused.is_empty() {
        let other = if cell.open.is_empty() { "" } else { "else " };
        told.push(format!("{other}refused ({refused})"));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

fn named(clauses: &BTreeSet<String>) -> String {
    let clauses: Vec<&str> = clauses
        .iter()
        .map(String::as_str)
        .filter(|clause| !clause.is_empty())
        .collect();
    let first = clauses.iter().take(NAMED).copied();
    let first = first.collect::<Vec<_>>().join(", ");
    match clauses.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn as_json(book: &str, table: &WaysTable) -> serde_json::Value {
    let cells = table.iter().map(|((kind, way), cell)| {
        json!({ "kind": kind.word(), "way": way.word(), "open": cell.open, "refused": cell.refused })
    });
    json!({ "rulebook": book, "cells": cells.collect::<Vec<_>>() })
}
