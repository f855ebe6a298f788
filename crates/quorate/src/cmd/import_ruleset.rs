//! `quorate import-ruleset`: makes a rulebook of a ruleset that was written elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use quorate_import::{BY_HAND, Book, FindingSeverity, SourceForm};
use serde_json::json;

mod code;

use code::CodeBeside;

use crate::output::{FOUND_WRONG, Output};
use crate::rulebooks;

/// What to read, and where the rulebook goes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The ruleset: wikitext, a wiki's page as HTML, or plain text.
    file: PathBuf,
    /// The folder to write the rulebook into; one named after the ruleset, if none is given.
    #[arg(long)]
    out: Option<PathBuf>,
    /// The form that the text is in; told from the text, if not given.
    #[arg(long)]
    form: Option<Shape>,
    /// The rulebook's title; the ruleset's own, if none is given.
    #[arg(long)]
    title: Option<String>,
    /// Put the code of a known rulebook beside rules of the same title that say the same, as far as it checks.
    #[arg(long)]
    with_code: bool,
}

/// A form of text.
#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    /// What stands in a wiki's edit box.
    Wikitext,
    /// A wiki's page as a browser gets it.
    Html,
    /// Text as it is copied out of a browser.
    Plain,
}

impl From<Shape> for SourceForm {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Wikitext => Self::Wikitext,
            Shape::Html => Self::Html,
            Shape::Plain => Self::Plain,
        }
    }
}

/// Imports a ruleset.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let bytes = fs::read(&arguments.file)
        .with_context(|| format!("cannot read {}", arguments.file.display()))?;
    let text = String::from_utf8(bytes).with_context(|| {
        format!(
            "{} is no text in UTF-8: convert it first",
            arguments.file.display()
        )
    })?;
    let form = arguments
        .form
        .map_or_else(|| SourceForm::of(&text), SourceForm::from);
    let name = arguments.file.file_stem().unwrap_or_default();
    let mut book = quorate_import::read(&text, form, &name.to_string_lossy());
    if let Some(title) = &arguments.title {
        book.title.clone_from(title);
    }
    if book.rules.is_empty() {
        bail!(
            "no rule was found in {}: no line of it reads as the title of one; say with --form what it is",
            arguments.file.display()
        );
    }
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(book.word()));
    let with_code = if arguments.with_code {
        code::beside(&mut book)?
    } else {
        CodeBeside {
            std: Vec::new(),
            by_hand: Some(BY_HAND.to_owned()),
            fates: code::Fates::new(),
        }
    };
    let mut files = book.files(&with_code.std, with_code.by_hand.as_deref());
    files.extend(rulebooks::library(&with_code.std)?);
    write(&folder, &files)?;
    let asleep = super::check::asleep(&rulebooks::read(&folder.to_string_lossy())?)?;
    tell(&book, &with_code, &folder, asleep, out);
    let problems = book
        .findings
        .iter()
        .any(|finding| finding.severity == FindingSeverity::Problem);
    Ok(if asleep > 0 || problems {
        ExitCode::from(FOUND_WRONG)
    } else {
        ExitCode::SUCCESS
    })
}

/// Writes the files of a rulebook into a folder that is not there yet, or empty.
fn write(folder: &Path, files: &[(String, String)]) -> Result<()> {
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty {
        bail!(
            "{} is there already: name another folder with --out, or take it away",
            folder.display()
        );
    }
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot make {}", parent.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn tell(book: &Book, with_code: &CodeBeside, folder: &Path, asleep: usize, out: &Output) {
    for finding in &book.findings {
        out.line(finding.to_string());
    }
    for (id, title, _) in &book.sections {
        let rules: Vec<_> = book
            .rules
            .iter()
            .filter(|rule| rule.section == *id)
            .collect();
        out.line(format!("{} ({} rules)", out.bold(title), rules.len()));
        for rule in rules {
            let inset = if rule.parent.is_some() { "    " } else { "  " };
            let fate = with_code.fates.get(&rule.id);
            let fate = fate.map(|fate| format!("; {fate}")).unwrap_or_default();
            out.line(format!("{inset}{}  line {}{fate}", rule.title, rule.line));
        }
    }
    out.value(&json!({
        "title": book.title,
        "folder": folder.display().to_string(),
        "rules": book.rules.iter().map(|rule| json!({
            "id": rule.id, "section": rule.section, "title": rule.title, "parent": rule.parent,
            "active": rule.active.unwrap_or(true), "line": rule.line,
            "code": rule.code.is_some(), "fate": with_code.fates.get(&rule.id),
        })).collect::<Vec<_>>(),
        "findings": book.findings.iter().map(|finding| json!({
            "line": finding.line, "text": finding.text,
            "severity": if finding.severity == FindingSeverity::Problem { "problem" } else { "note" },
        })).collect::<Vec<_>>(),
        "asleep": asleep,
    }));
    let state = if asleep == 0 {
        out.green("checks")
    } else {
        out.red(&super::check::would_sleep(asleep))
    };
    out.line(format!(
        "{}: {} rules in {} sections; {state}",
        out.bold(&folder.display().to_string()),
        book.rules.len(),
        book.sections.len()
    ));
}
