//! `quorate export` and `import`.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use quorate_kernel::GameId;
use quorate_runtime::archive::{self, ArchivedSeals};
use quorate_runtime::fold;
use quorate_runtime::verify::VerifyProgress;
use serde_json::json;

use super::backup::fetched;
use crate::data_folder::{DataArguments, DataFolder};
use crate::objects::OpenObjects;
use crate::output::Output;

/// What to write out.
#[derive(clap::Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word.
    game: GameId,
    /// The file; standard output for `-`; a file in a bucket, if it begins with `s3://BUCKET/`.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The open log alone: it verifies, and no word that anybody typed is in it.
    #[arg(long)]
    open: bool,
}

/// What to bring in.
#[derive(clap::Args)]
pub(crate) struct ImportArguments {
    #[command(flatten)]
    data: DataArguments,
    /// A file that `export` wrote; standard input for `-`; `s3://BUCKET/FILE` for one in a bucket.
    file: PathBuf,
    /// The game's word here; its own, if none is given.
    #[arg(long)]
    id: Option<GameId>,
}

/// Writes a game out.
pub(super) fn export(arguments: &ExportArguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let secret = folder.store.secret();
    let beside = match &secret {
        _ if arguments.open => ArchivedSeals::Nothing,
        secret => ArchivedSeals::Everything(
            secret
                .as_ref()
                .context("the server's secret cannot be read: try --open")?,
        ),
    };
    let to_screen = arguments.file == Path::new("-");
    let bucket = OpenObjects::named_by(&arguments.file)?;
    // What goes to a bucket is written here first.
    let here = tempfile::tempdir()?;
    let path = match &bucket {
        Some(_) => here.path().join("game"),
        None => arguments.file.clone(),
    };
    let mut file: Box<dyn Write + Send> = if to_screen {
        Box::new(std::io::stdout())
    } else {
        let file = File::create(&path);
        Box::new(BufWriter::new(
            file.with_context(|| format!("cannot write {}", path.display()))?,
        ))
    };
    let bar = out.progress("events");
    let mut progress = |progress: VerifyProgress| bar.at(progress.done.0, progress.of.0);
    let head = folder.wait(archive::export(
        &*folder.store,
        &*folder.store,
        &arguments.game,
        beside,
        &mut *file,
        &mut progress,
    ))?;
    file.flush()?;
    if let Some((bucket, name)) = bucket {
        folder.wait(bucket.send(&name, &path))?;
    }
    bar.done();
    if !to_screen {
        let state = folder
            .wait(fold::open(&*folder.store, &*folder.store, &arguments.game))?
            .state
            .digest();
        out.value(&json!({
            "game": arguments.game.as_str(), "events": head.seq.0, "head": head.hash.to_string(), "state": state.to_string(),
        }));
        out.line(format!(
            "{} events of {} to {}, state {}",
            head.seq,
            arguments.game,
            arguments.file.display(),
            state.short()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Brings a game in.
pub(super) fn import(arguments: &ImportArguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data)?;
    let fetched = fetched(&arguments.file)?;
    let path = fetched
        .as_ref()
        .map_or(arguments.file.as_path(), tempfile::NamedTempFile::path);
    let input: Box<dyn Read + Send> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        let file = File::open(path);
        Box::new(file.with_context(|| format!("cannot read {}", path.display()))?)
    };
    let bar = out.progress("events");
    let mut progress = |progress: VerifyProgress| bar.at(progress.done.0, progress.of.0);
    let mut input = BufReader::new(input);
    let done = folder.wait(archive::import(
        &*folder.store,
        arguments.id.as_ref(),
        &mut input,
        &mut progress,
    ))?;
    bar.done();
    out.value(&json!({
        "game": done.game.as_str(),
        "events": done.head.seq.0,
        "head": done.head.hash.to_string(),
        "state": done.state.to_string(),
        "closed": done.closed_count,
    }));
    let closed = if done.closed_count > 0 {
        format!(
            ", {} events with words that did not come along",
            done.closed_count
        )
    } else {
        String::new()
    };
    out.line(format!(
        "{} {}: {} events, state {}{closed}",
        out.green("imported"),
        done.game,
        done.head.seq,
        done.state.short()
    ));
    Ok(ExitCode::SUCCESS)
}
