//! `quorate new`: founds a game.

use std::process::ExitCode;

use anyhow::{Result, bail};
use quorate_kernel::command::Actor;
use quorate_kernel::state::State;
use quorate_kernel::{GameId, Name};
use quorate_runtime::Answer;
use quorate_runtime::ports::Journal;
use serde_json::json;

use crate::data_folder::{self, DataArguments, DataFolder};
use crate::output::{FOUND_WRONG, Output};
use crate::report;
use crate::rulebooks;

/// What to found.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// A rulebook: a folder, or the name of one.
    rulebook: String,
    /// The game's title; the rulebook's, if none is given.
    #[arg(long)]
    title: Option<String>,
    /// The name of the first player, who is its admin.
    #[arg(long, default_value = "Anna")]
    founder: String,
    /// The game's word in addresses; made from the rulebook's name, if none is given.
    #[arg(long)]
    id: Option<GameId>,
}

/// Founds a game.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let book = rulebooks::read(&arguments.rulebook)?;
    let title = arguments
        .title
        .clone()
        .unwrap_or_else(|| book.manifest.title.clone());
    let founding = book.founding(&title, &arguments.founder)?;
    let folder = DataFolder::own(&arguments.data)?;
    let games = folder.games()?;
    let game = match &arguments.id {
        Some(game) => game.clone(),
        None => free_id(&folder, &book.name)?,
    };
    let answer = folder.wait(async {
        let answer = games
            .found(&game, Actor::Operator, data_folder::fresh_key(), founding)
            .await;
        games.close().await?;
        answer
    })?;
    match answer {
        Answer::Kept(receipt) => {
            out.value(&json!({ "game": game.as_str(), "title": title, "seq": receipt.seq.0, "at": receipt.at.to_string() }));
            out.line(format!(
                "{} {} ({title}), founded by {}",
                out.green("founded"),
                out.bold(game.as_str()),
                arguments.founder
            ));
            Ok(ExitCode::SUCCESS)
        }
        Answer::Refused(refusal) => {
            out.value(&json!({ "refused": report::refusal_json(&State::default(), &refusal) }));
            out.line(out.red("refused"));
            report::tell_refusal(&State::default(), &refusal, out);
            Ok(ExitCode::from(FOUND_WRONG))
        }
    }
}

/// A word for a game that no other has: the rulebook's name, with a number where that is taken.
fn free_id(folder: &DataFolder, name: &Name) -> Result<GameId> {
    let there = folder.wait(Journal::games(&*folder.store))?;
    let removed = folder.wait(folder.store.removed())?;
    let there = there.into_iter().map(|row| row.game);
    let taken: Vec<GameId> = there
        .chain(removed.into_iter().map(|(game, _)| game))
        .collect();
    for n in 1..10_000 {
        let word = if n == 1 {
            name.to_string()
        } else {
            format!("{name}-{n}")
        };
        let game: GameId = word.parse()?;
        if !taken.contains(&game) {
            return Ok(game);
        }
    }
    bail!("every word from {name} to {name}-9999 is taken: give one with --id")
}
