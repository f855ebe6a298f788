//! A game as a file, which `quorate import` reads.

use std::io::{BufWriter, Seek, SeekFrom, Write};

use axum::response::Response;
use quorate_kernel::GameId;
use quorate_runtime::archive::{self, ArchivedSeals};

use crate::app::download;
use crate::app::error::AppError;
use crate::app::state::AppState;

/// A game as a file, whole or its open log alone. Who may have it was asked before.
pub(crate) async fn as_file(
    site: &AppState,
    game: &str,
    is_whole: bool,
) -> Result<Response, AppError> {
    let game: GameId = game.parse().map_err(|_| AppError::NotFound)?;
    let beside = if is_whole {
        ArchivedSeals::Everything(&site.deps.secret)
    } else {
        ArchivedSeals::Nothing
    };
    // Written whole before any of it is sent, so that a log that does not hold together is an error and no short file.
    let mut file = BufWriter::new(tempfile::tempfile().map_err(broken)?);
    let (journal, seals) = (&*site.deps.journal, &*site.deps.seals);
    let mut progress = |_| {};
    let written = archive::export(journal, seals, &game, beside, &mut file, &mut progress);
    written.await.map_err(|error| match error {
        archive::ExportError::Game(error) => AppError::from(error),
        archive::ExportError::Write(error) => broken(error),
    })?;
    let mut file = file
        .into_inner()
        .map_err(|error| broken(error.into_error()))?;
    file.flush().map_err(broken)?;
    file.seek(SeekFrom::Start(0)).map_err(broken)?;
    let name = format!("{game}.ndjson");
    Ok(download::attachment(&name, "application/x-ndjson", file))
}

fn broken(error: std::io::Error) -> AppError {
    AppError::Broken(format!("the file could not be written: {error}"))
}
