//! `quorate ways`: every way to change something in a game, and who may.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use quorate_engine::rulebook::Rulebook;
use quorate_lab::simulation::ways::{self, ChangeWay, ChangedKind, WayCell, WaysTable};
use serde_json::json;

use super::mutate::with_quiet_panics;
use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;
use crate::threads;

/// Of which rulebooks.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Rulebooks: folders, or names.
    #[arg(required = true)]
    rulebooks: Vec<String>,
    /// Find wrong what stands otherwise in this file, and print that alone.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// What stands above the tables.
const HEAD: &str = "# Ways to change things

For each rulebook: every kind of thing that can change (rows), every way to change it (columns), who may, and by which clauses. The game
is asked, nobody writes this by hand:

- What acts change, built-in ones too, and what rules change by themselves is read off the games of the rulebook's own tests, each change
  under the clause that made it. An action for some alone is also tried by others, and the command fails where no other is refused.
- Claims are tried under each rule, by a player without an office and by the founder; proposals and their scripts are voted for by everybody
  and enacted by a player who may, with and without a tag in their title. What was enacted is undone, and struck by a ruling.
- *refused* means: it was tried, and by no rule was it let through. *-* means that nothing can be written that would be such a change, or that
  no rule of the book makes one.

The page is printed by

    quorate ways adventurers-2019 arena-93 dda-55 dungeon-78 hordes-22 > docs/ways.md

and `cargo xtask test --only ways` tries one rulebook again, with `--long` all of them: each cell must come out as it stands here.
";

/// Prints the tables in Markdown.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let known = match &arguments.check {
        Some(path) => Some(rulebooks::read_text(path)?),
        None => None,
    };
    let books = arguments.rulebooks.iter().map(|name| rulebooks::read(name));
    let books: Vec<Rulebook> = books.collect::<Result<_>>()?;
    let tables = with_quiet_panics(|| {
        threads::share(threads::cores(), books.len(), |pieces| {
            let worked = pieces.map(|nth| Ok((nth, ways::table_of(&books[nth])?)));
            worked.collect()
        })
    })?;
    if known.is_none() {
        out.line(HEAD);
    }
    let mut is_stale = false;
    for (book, table) in books.iter().zip(&tables) {
        let text = markdown(&book.manifest.title, table);
        if let Some(known) = &known {
            is_stale |= !same(book.name.as_str(), known, &text, out);
        } else {
            out.line(text);
            out.value(&as_json(book.name.as_str(), table));
        }
    }
    Ok(if is_stale {
        ExitCode::from(FOUND_WRONG)
    } else {
        ExitCode::SUCCESS
    })
}

/// Whether a book's part of the page is what came of its games; the lines that differ are printed.
fn same(book: &str, known: &str, text: &str, out: &Output) -> bool {
    let (heading, found) = text.split_once('\n').unwrap_or((text, ""));
    let mut of_book = known.split("\n## ").skip(1);
    let of_book = of_book.find_map(|part| {
        let (title, part) = part.split_once('\n')?;
        (heading.strip_prefix("## ") == Some(title)).then_some(part)
    });
    let of_book = of_book.unwrap_or_default();
    if of_book.trim() == found.trim() {
        return true;
    }
    out.line(format!("{}: {book}", out.red("the games say otherwise")));
    let (before, now): (BTreeSet<&str>, BTreeSet<&str>) =
        (of_book.lines().collect(), found.lines().collect());
    for line in before.difference(&now) {
        out.line(format!("  the page: {line}"));
    }
    for line in now.difference(&before) {
        out.line(format!("  the games: {line}"));
    }
    false
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
            .filter_map(|(way, cell)| Some(format!("  - {}: {}", way.word(), describe(cell)?)))
            .collect();
        if !told.is_empty() {
            let _ = writeln!(text, "- **{}**\n{}", kind.word(), told.join("\n"));
        }
    }
    text
}

/// What stands where there is no such way.
const NEVER: &str = "-";

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
fn describe(cell: &WayCell) -> Option<String> {
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
    let named: Vec<&str> = clauses
        .iter()
        .map(String::as_str)
        .filter(|clause| !clause.is_empty())
        .collect();
    named.join(", ")
}

fn as_json(book: &str, table: &WaysTable) -> serde_json::Value {
    let cells = table.iter().map(|((kind, way), cell)| {
        json!({ "kind": kind.word(), "way": way.word(), "open": cell.open, "refused": cell.refused })
    });
    json!({ "rulebook": book, "cells": cells.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_says_otherwise_of_one_cell_is_stale() {
        let mut table = WaysTable::new();
        let cell = table
            .entry((ChangedKind::Term, ChangeWay::Claim))
            .or_default();
        cell.refused.insert("Tracking 7".to_owned());
        let text = markdown("A book", &table);
        assert!(
            text.contains("| **a term** | - | - | - | refused | - |"),
            "{text}"
        );
        assert!(text.contains("  - claim: refused (Tracking 7)"), "{text}");
        let page = format!("{HEAD}\n{text}\n## Another book\n\nIts tables.\n");
        let out = Output::new(true);
        assert!(same("a-book", &page, &text, &out));
        let elsewhere = page.replace("Tracking 7", "Tracking 8");
        assert!(!same("a-book", &elsewhere, &text, &out));
        assert!(!same("a-book", HEAD, &text, &out), "the book is not on it");
    }
}
