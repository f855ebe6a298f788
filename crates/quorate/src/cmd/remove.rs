//! `quorate remove`: a game off the site, and back.

use std::process::ExitCode;

use anyhow::{Result, bail};
use quorate_kernel::GameId;
use quorate_runtime::Games;
use quorate_runtime::ports::{SecurityEvent, StoreError};
use serde_json::json;

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::Output;

/// Which game.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word in addresses; without one, the games that were removed are listed.
    game: Option<GameId>,
    /// Put it back, with all that was in it.
    #[arg(long, requires = "game")]
    back: bool,
}

/// Takes a game off the site, or puts it back. Nothing of it is lost either way.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data)?;
    let games = folder.games()?;
    let done = folder.wait(async {
        let done = match &arguments.game {
            None => list(&games, out).await,
            Some(game) => set(&games, game, !arguments.back, out).await,
        };
        games.close().await?;
        done
    });
    done?;
    if let Some(game) = &arguments.game {
        let event = if arguments.back {
            SecurityEvent::GamePutBack
        } else {
            SecurityEvent::GameRemoved
        };
        folder.note(event, None, game.as_str())?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(games: &Games, out: &Output) -> Result<()> {
    let removed = games.removed().await?;
    let told = removed
        .iter()
        .map(|(game, at)| json!({ "game": game.as_str(), "removed_at": at.to_string() }));
    out.value(&json!({ "removed": told.collect::<Vec<_>>() }));
    if removed.is_empty() {
        out.line("no game is removed");
    }
    for (game, at) in &removed {
        out.line(format!("{game}, removed {at}"));
    }
    Ok(())
}

async fn set(games: &Games, game: &GameId, is_removed: bool, out: &Output) -> Result<()> {
    let is_gone = games.removed().await?.iter().any(|(gone, _)| gone == game);
    match (is_gone, is_removed) {
        (true, true) => bail!("{game} is removed already: --back puts it back"),
        (false, false) => bail!("{game} was not removed"),
        _ => {}
    }
    if !games.set_removed(game, is_removed).await? {
        return Err(StoreError::NoGame { game: game.clone() }.into());
    }
    out.value(&json!({ "game": game.as_str(), "removed": is_removed }));
    let told = if is_removed {
        format!("{game} is off the site; `quorate remove {game} --back` puts it back")
    } else {
        format!("{game} is back")
    };
    out.line(told);
    Ok(())
}
