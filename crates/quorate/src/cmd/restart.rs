//! A server that began where nothing could be written, and starts again by itself once something can.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::data_folder::{DataArguments, DataPlace};

/// How often it is tried.
const TRIED_EVERY: Duration = Duration::from_secs(5);

/// What is written to see whether there is room.
static ROOM: [u8; 64 * 1_024] = [0; 64 * 1_024];

/// Why a server ended.
pub(super) enum Ended {
    /// It was told to.
    Told,
    /// Something can be written now where it could only read.
    CanWrite,
}

/// Waits until something can be written to a folder that was opened to read only; for ever with any other.
pub(super) async fn writable(read_only: Option<DataArguments>) {
    let Some(Ok(DataPlace::Folder(folder))) = read_only.map(|data| data.place()) else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(TRIED_EVERY).await;
        let folder = folder.clone();
        let tried = tokio::task::spawn_blocking(move || can_write(&folder));
        if matches!(tried.await, Ok(true)) {
            tracing::warn!("something can be written again: the server restarts");
            return;
        }
    }
}

/// Whether the files of a folder can be written to, and there is some room. SQLite isn't asked: within one process it goes on
/// reading only.
fn can_write(folder: &Path) -> bool {
    let room = tempfile::tempfile_in(folder).and_then(|mut file| {
        file.write_all(&ROOM)?;
        file.sync_all()
    });
    let Ok(files) = fs::read_dir(folder) else {
        return false;
    };
    let mut files = files.flatten().map(|entry| entry.path());
    room.is_ok() && files.all(|file| OpenOptions::new().append(true).open(file).is_ok())
}

/// Starts this program again in its own process, with the arguments that it was started with.
///
/// # Errors
/// Fails where the program is not there any more. Else it does not return.
pub(super) fn restart() -> Result<ExitCode> {
    let program = std::env::current_exe().context("the program cannot be found")?;
    let error = Command::new(program)
        .args(std::env::args_os().skip(1))
        .exec();
    Err(error).context("the server cannot restart by itself: start it again")
}
