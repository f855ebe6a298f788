//! A server that began where nothing could be written, and starts again by itself once something can.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::data_folder::{DataArguments, DataFolder};

/// How often it is tried.
const TRIED_EVERY: Duration = Duration::from_secs(5);

/// Why a server ended.
pub(super) enum Ended {
    /// It was told to.
    Told,
    /// Something can be written now where it could only read.
    CanWrite,
}

/// Waits until something can be written to a folder that was opened to read only; for ever with any other.
pub(super) async fn writable(read_only: Option<DataArguments>) {
    let Some(data) = read_only else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(TRIED_EVERY).await;
        let data = data.clone();
        let tried = tokio::task::spawn_blocking(move || DataFolder::own(&data).is_ok());
        if matches!(tried.await, Ok(true)) {
            tracing::warn!("something can be written again: the server restarts");
            return;
        }
    }
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
