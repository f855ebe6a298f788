//! `quorate backup` and `restore`: a whole server, and back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use quorate_runtime::verify::{self, Grade};
use quorate_store::{Store, StoreOptions, copy_secret, unpack};
use serde_json::json;

use super::migrate::{carried, nobody_serves};
use crate::data_folder::{DataArguments, DataFolder, DataPlace};
use crate::objects::{ObjectPlace, OpenObjects};
use crate::output::{FOUND_WRONG, Output};

/// Where to.
#[derive(clap::Args)]
pub(crate) struct BackupArguments {
    #[command(flatten)]
    data: DataArguments,
    /// A new folder; a new file, if the name ends in `.tar`; a file in a bucket, if it begins with `s3://BUCKET/`.
    into: PathBuf,
}

/// From where.
#[derive(clap::Args)]
pub(crate) struct RestoreArguments {
    #[command(flatten)]
    data: DataArguments,
    /// What `backup` wrote: a folder or a file, or `s3://BUCKET/FILE`.
    from: PathBuf,
}

/// Copies everything that a server keeps, also while it runs.
pub(super) fn backup(arguments: &BackupArguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let into = &arguments.into;
    let bucket = OpenObjects::named_by(into)?;
    let made = folder.wait(async {
        let Some((bucket, name)) = bucket else {
            return copied(&folder, into).await;
        };
        let here = tempfile::tempdir()?;
        let file = here.path().join("backup.tar");
        copied(&folder, &file).await?;
        bucket.send(&name, &file).await
    });
    made.with_context(|| format!("no backup was made in {}", into.display()))?;
    let games = folder.wait(folder.store.games())?;
    if let Some(node) = &folder.node {
        folder.wait(node.close());
    }
    out.value(&json!({ "backup": into, "games": games.len() }));
    out.line(format!(
        "{} {} games, the accounts and the secret to {}; keep it as private as the data folder",
        out.green("copied"),
        games.len(),
        into.display()
    ));
    Ok(ExitCode::SUCCESS)
}

async fn copied(folder: &DataFolder, into: &Path) -> Result<()> {
    let Some(backup) = folder.database_backup() else {
        return write(folder.file()?, into).await;
    };
    let copy = backup.copy(beside(into)).await?;
    write(&copy.store, into).await
}

async fn write(store: &Store, into: &Path) -> Result<()> {
    if is_tar(into) {
        store.back_up_to_file(into).await?;
    } else {
        store.back_up(into).await?;
    }
    Ok(())
}

/// The folder in which something is or will be.
fn beside(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn is_tar(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("tar"))
}

/// Makes a data folder of a backup, or fills a database, after it has been looked through and each game in it verified.
pub(super) fn restore(arguments: &RestoreArguments, out: &Output) -> Result<ExitCode> {
    let fetched = fetched(&arguments.from)?;
    let from = fetched
        .as_ref()
        .map_or(arguments.from.as_path(), tempfile::NamedTempFile::path);
    let place = arguments.data.place()?;
    let (data, shown) = match &place {
        DataPlace::Folder(folder) => (folder, folder.display().to_string()),
        DataPlace::Postgres(_) => (&arguments.data.data, "the database".to_owned()),
    };
    if let DataPlace::Folder(folder) = &place {
        check_free(folder)?;
    }
    let parent = beside(data);
    fs::create_dir_all(parent).with_context(|| format!("cannot write {}", parent.display()))?;
    // Made beside its place, so that a folder that is there is a whole one.
    let unborn = parent.join(format!(".quorate-restore-{}", std::process::id()));
    let objects = arguments.data.objects.as_ref();
    let restored = restored(from, &unborn, objects, out).and_then(|code| {
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
        match &place {
            DataPlace::Folder(folder) => fs::rename(&unborn, folder)
                .with_context(|| format!("cannot write {}", folder.display()))?,
            DataPlace::Postgres(_) => fill(&unborn, &arguments.data)?,
        }
        out.line(format!("{} to {shown}", out.green("restored")));
        Ok(code)
    });
    if unborn.exists() {
        fs::remove_dir_all(&unborn)
            .with_context(|| format!("{} stays behind", unborn.display()))?;
    }
    restored
}

/// What lies in a bucket, fetched to be read; none where it is on this machine.
pub(super) fn fetched(from: &Path) -> Result<Option<tempfile::NamedTempFile>> {
    let Some((bucket, name)) = OpenObjects::named_by(from)? else {
        return Ok(None);
    };
    // Its name tells a backup in one file.
    let file = tempfile::Builder::new().suffix(".tar").tempfile()?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(bucket.fetch(&name, file.path()))?;
    Ok(Some(file))
}

/// Fills an empty database, to which the backup's secret goes along.
fn fill(from: &Path, data: &DataArguments) -> Result<()> {
    copy_secret(from, &data.data)?;
    let to = DataFolder::own(data)?;
    nobody_serves(&to)?;
    let from = DataFolder::own_with(from, StoreOptions::default(), data.objects.as_ref())?;
    let taken = to.wait(carried(&*from.store, &*to.store))?;
    if let Some(table) = taken.left_behind.keys().next() {
        bail!("the database has no place for the table {table}, and lacks its rows now");
    }
    if let Some(node) = &to.node {
        to.wait(node.close());
    }
    Ok(())
}

/// A folder that is there is used if nothing is in it.
fn check_free(data: &Path) -> Result<()> {
    match fs::read_dir(data).map(Iterator::count) {
        Ok(0) => Ok(()),
        Ok(_) => bail!(
            "{} is not empty: name another folder with --data, or move that one away",
            data.display()
        ),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot use {}", data.display())),
    }
}

/// Puts a backup into a folder and looks through it.
fn restored(
    from: &Path,
    into: &Path,
    objects: Option<&ObjectPlace>,
    out: &Output,
) -> Result<ExitCode> {
    private_folder(into)?;
    let has_digests =
        unpack(from, into).with_context(|| format!("{} was not restored", from.display()))?;
    if !has_digests {
        out.line(
            "an earlier release made this copy, without digests: damage to accounts is not found",
        );
    }
    let folder = DataFolder::own_with(into, StoreOptions::default(), objects)?;
    folder.wait(folder.file()?.check())?;
    let mut all_hold = true;
    let mut told = Vec::new();
    for row in folder.wait(folder.store.games())? {
        let (store, game) = (&*folder.store, &row.game);
        let verdict = folder.wait(verify::verify(store, store, game, Grade::Fold, &mut |_| {}))?;
        all_hold &= verdict.holds();
        let word = if verdict.holds() {
            "holds"
        } else {
            "does not hold"
        };
        out.line(format!("{game}: {} events, {word}", verdict.head.seq));
        if let Some(fault) = &verdict.fault {
            out.line(format!("{} {fault}", out.red("broken")));
        }
        told.push(
            json!({ "game": game.as_str(), "events": verdict.head.seq.0, "holds": verdict.holds(),
            "state": verdict.state.map(|digest| digest.to_string()) }),
        );
    }
    out.value(&json!({ "restored": all_hold, "games": told }));
    if !all_hold {
        out.line("nothing was restored: this backup is damaged; take another");
        return Ok(ExitCode::from(FOUND_WRONG));
    }
    Ok(ExitCode::SUCCESS)
}

fn private_folder(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = fs::DirBuilder::new().mode(0o700).create(path);
    made.with_context(|| format!("cannot write {}", path.display()))
}
