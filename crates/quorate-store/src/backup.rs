//! Copies of everything, and back.
//!
//! A copy is a folder with the file, the secret and the digests of both, or one file: a tar of these. It is made beside its
//! place and renamed when it is whole, so that what bears its name is never half a copy.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use quorate_runtime::ports::{Backup, StoreError};

use crate::Store;
use crate::error::{Explain, of_file};
use crate::folder::{FILE, SECRET, private, sync_folder, write_private};

/// The file in which a copy has the digests of its others, by which a changed byte is found wherever it is.
const DIGESTS: &str = "digests";

impl Store {
    /// Copies everything into a new data folder, as it is at this moment, while the server goes on.
    ///
    /// # Errors
    /// Fails where `into` is there already, where it cannot be written, and where the secret cannot be read.
    pub async fn back_up(&self, into: &Path) -> Result<(), StoreError> {
        check_free(into)?;
        let unborn = beside(into);
        let made = self.copy_into(&unborn).await.and_then(|()| {
            fs::rename(&unborn, into).map_err(|e| of_file(&e, into))?;
            sync_folder(parent(into))
        });
        if made.is_err() {
            drop(fs::remove_dir_all(&unborn));
        }
        made
    }

    /// The same as one file.
    ///
    /// # Errors
    /// As [`Store::back_up`].
    pub async fn back_up_to_file(&self, into: &Path) -> Result<(), StoreError> {
        check_free(into)?;
        let unborn = beside(into);
        let file = private().create(true).truncate(true).open(&unborn);
        let made = match file.map_err(|e| of_file(&e, &unborn)) {
            Ok(file) => self.pack_beside(parent(into), &file).await,
            Err(error) => Err(error),
        };
        let made = made.and_then(|()| {
            fs::rename(&unborn, into).map_err(|e| of_file(&e, into))?;
            sync_folder(parent(into))
        });
        if made.is_err() {
            drop(fs::remove_file(&unborn));
        }
        made
    }

    /// Writes a tar of a copy that is made in `scratch` and goes again.
    async fn pack_beside(&self, scratch: &Path, out: &File) -> Result<(), StoreError> {
        let copies = tempfile::Builder::new()
            .prefix(".quorate-")
            .tempdir_in(scratch);
        let copies = copies.map_err(|e| of_file(&e, scratch))?;
        let copy = copies.path().join("copy");
        self.copy_into(&copy).await?;
        let out = out.try_clone().map_err(|e| of_file(&e, scratch))?;
        let packed =
            tokio::task::spawn_blocking(move || pack(&copy, &out).map_err(|e| of_file(&e, &copy)));
        packed.await.map_err(|error| StoreError::Failed {
            cause: error.to_string().into(),
        })?
    }

    async fn copy_into(&self, folder: &Path) -> Result<(), StoreError> {
        drop(fs::remove_dir_all(folder));
        let made = DirBuilder::new().mode(0o700).create(folder);
        made.map_err(|e| of_file(&e, folder))?;
        let secret = self.folder.secret_bytes()?;
        let copy = folder.join(SECRET);
        write_private(&copy, &secret).map_err(|e| of_file(&e, &copy))?;
        let file = folder.join(FILE);
        let path = file.to_str().ok_or_else(|| StoreError::Failed {
            cause: format!("{} is no UTF-8", file.display()).into(),
        })?;
        // Made by us, so that nobody else may read it; SQLite takes an empty file for none.
        drop(
            private()
                .create(true)
                .truncate(true)
                .open(&file)
                .map_err(|e| of_file(&e, &file))?,
        );
        sqlx::query("VACUUM INTO ?")
            .bind(path)
            .execute(&self.readers)
            .await
            .explain()?;
        let synced = File::open(&file).and_then(|file| file.sync_all());
        synced.map_err(|e| of_file(&e, &file))?;
        let digests = digests_of(folder).map_err(|e| of_file(&e, folder))?;
        let list = folder.join(DIGESTS);
        write_private(&list, digests.as_bytes()).map_err(|e| of_file(&e, &list))?;
        sync_folder(folder)
    }
}

#[async_trait]
impl Backup for Store {
    async fn back_up(&self, scratch: &Path, out: &File) -> Result<(), StoreError> {
        self.pack_beside(scratch, out).await
    }
}

/// Puts the files of a backup, a folder or a file, into a new folder, and holds them to the digests that they were copied with.
/// Gives whether there are any: earlier copies have none, and whether those are whole shows when the folder is opened.
///
/// # Errors
/// Fails where `from` is no backup or a damaged one, and where `into` cannot be written.
pub fn unpack(from: &Path, into: &Path) -> Result<bool, StoreError> {
    take_out(from, into)?;
    let list = into.join(DIGESTS);
    let told = match fs::read(&list) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        told => told.map_err(|e| of_file(&e, &list))?,
    };
    fs::remove_file(&list).map_err(|e| of_file(&e, &list))?;
    if digests_of(into).map_err(|e| of_file(&e, into))?.as_bytes() != told {
        return Err(damaged("its files are not as they were copied"));
    }
    sync_folder(into)?;
    Ok(true)
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged { what: what.into() }
}

/// The digests of the files of a copy, a line each.
fn digests_of(folder: &Path) -> io::Result<String> {
    let line = |name: &str| -> io::Result<String> {
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut File::open(folder.join(name))?, &mut hasher)?;
        Ok(format!("{}  {name}\n", hasher.finalize().to_hex()))
    };
    [SECRET, FILE].into_iter().map(line).collect()
}

/// Puts the files of a backup into a new folder as they are.
fn take_out(from: &Path, into: &Path) -> Result<(), StoreError> {
    let foreign = || StoreError::Foreign {
        what: from.display().to_string().into(),
    };
    let place = |name: &str| private().create_new(true).open(into.join(name));
    if from.is_dir() {
        for name in [FILE, SECRET, DIGESTS] {
            let path = from.join(name);
            if name == DIGESTS && !path.exists() {
                continue;
            }
            let mut source = File::open(&path).map_err(|e| of_file(&e, &path))?;
            put(
                &mut source,
                &mut place(name).map_err(|e| of_file(&e, into))?,
                into,
            )?;
        }
        return sync_folder(into);
    }
    let file = File::open(from).map_err(|e| of_file(&e, from))?;
    let mut archive = tar::Archive::new(io::BufReader::new(file));
    let mut found = Vec::new();
    for entry in archive.entries().map_err(|_| foreign())? {
        // What begins as a copy and goes on as something else was one.
        let broken = || {
            if found.is_empty() {
                foreign()
            } else {
                damaged("it is cut off, or something else is in it")
            }
        };
        let mut entry = entry.map_err(|_| broken())?;
        let path = entry.path().map_err(|_| broken())?.into_owned();
        let known = [FILE, SECRET, DIGESTS]
            .into_iter()
            .find(|name| path == Path::new(name));
        let name = known
            .filter(|name| !found.contains(name))
            .ok_or_else(broken)?;
        put(
            &mut entry,
            &mut place(name).map_err(|e| of_file(&e, into))?,
            into,
        )?;
        found.push(name);
    }
    if found.is_empty() {
        return Err(foreign());
    }
    if ![FILE, SECRET].iter().all(|name| found.contains(name)) {
        return Err(damaged("it is cut off"));
    }
    sync_folder(into)
}

fn put(source: &mut impl io::Read, file: &mut File, into: &Path) -> Result<(), StoreError> {
    let copied = io::copy(source, file).and_then(|_| file.sync_all());
    copied.map_err(|e| of_file(&e, into))
}

/// Writes the files of a copy as a tar.
fn pack(folder: &Path, out: &File) -> io::Result<()> {
    let mut tar = tar::Builder::new(io::BufWriter::new(out));
    for name in [SECRET, FILE, DIGESTS] {
        tar.append_file(name, &mut File::open(folder.join(name))?)?;
    }
    let buffer = tar.into_inner()?;
    let mut out = buffer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    out.sync_all()?;
    out.seek(SeekFrom::Start(0)).map(drop)
}

fn check_free(into: &Path) -> Result<(), StoreError> {
    match into.try_exists() {
        Ok(false) => Ok(()),
        Ok(true) => Err(StoreError::Failed {
            cause: format!("{} is there already: name another place", into.display()).into(),
        }),
        Err(error) => Err(of_file(&error, into)),
    }
}

/// Where something is made that then gets its name.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".unfinished");
    name.into()
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
