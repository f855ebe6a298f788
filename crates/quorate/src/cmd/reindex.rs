//! `quorate reindex`: the index of words, built anew.

use std::process::ExitCode;

use anyhow::Result;
use quorate_kernel::GameId;
use quorate_runtime::ports::{Journal, SearchIndex, StoreError};

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::Output;

/// Of which games.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word in addresses; all games, if none is named.
    #[arg(long, value_name = "WORD")]
    game: Option<GameId>,
}

/// Throws the index away. A server builds it from the logs, at its start or while it runs, and answers searches meanwhile.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data)?;
    let store = &*folder.store;
    if let Some(game) = &arguments.game {
        let row = folder.wait(Journal::game(store, game))?;
        row.ok_or_else(|| StoreError::NoGame { game: game.clone() })?;
    }
    folder.wait(SearchIndex::clear_index(store, arguments.game.as_ref()))?;
    out.value(&serde_json::json!({ "cleared": arguments.game.as_ref().map(GameId::as_str) }));
    out.line("the index of words is empty; the server rebuilds it from the logs");
    Ok(ExitCode::SUCCESS)
}
