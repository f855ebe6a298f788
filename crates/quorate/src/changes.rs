//! Changes that a post or a claim carries, as a file lists them.
//!
//! The file is JSON or TOML: a list of changes (in TOML under `[[change]]`), which [`quorate_engine::changes`] reads.

use std::path::Path;

use anyhow::{Context, Result};
use quorate_engine::changes::{self, Change};
use quorate_engine::judge::Judge;
use quorate_kernel::Moment;
use quorate_kernel::patch::Patch;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    change: Vec<Change>,
}

/// Reads the changes of a file, against a game as it is.
pub(crate) fn read(path: &Path, judge: &Judge, now: Moment) -> Result<Patch> {
    let text = crate::books::read_text(path)?;
    let is_toml = path
        .extension()
        .is_some_and(|extension| extension == "toml");
    let listed: Vec<Change> = if is_toml {
        toml::from_str::<File>(&text)
            .map(|file| file.change)
            .map_err(anyhow::Error::from)
    } else {
        serde_json::from_str(&text).map_err(anyhow::Error::from)
    }
    .with_context(|| format!("{} lists no changes", path.display()))?;
    let patch = judge.look(now, |tx| changes::patch(tx, &listed));
    patch.with_context(|| format!("{} does not fit the game", path.display()))
}
