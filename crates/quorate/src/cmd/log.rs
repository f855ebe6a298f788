//! `quorate log`: what happened in a game.

use std::process::ExitCode;

use anyhow::Result;
use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::fold;
use serde_json::json;

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::Output;
use crate::report;

/// Which log, and how much of it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word.
    game: GameId,
    /// From this event on; the last ones, if none is given.
    #[arg(long)]
    from: Option<u64>,
    /// How many events.
    #[arg(long, default_value_t = 50)]
    count: u64,
}

/// Prints a part of a log.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let opened = folder.wait(fold::open(&*folder.store, &*folder.store, &arguments.game))?;
    let last = opened.row.head.seq.0;
    let from = arguments
        .from
        .unwrap_or_else(|| last.saturating_sub(arguments.count) + 1)
        .max(1);
    let to = last.min(from.saturating_add(arguments.count) - 1);
    let wanted: Vec<EventSeq> = (from..=to).map(EventSeq).collect();
    let events = folder.events(&arguments.game, &wanted)?;
    out.value(&json!({
        "game": arguments.game.as_str(),
        "last": last,
        "events": events.iter().map(|event| report::event_json(&opened.state, event)).collect::<Vec<_>>(),
    }));
    for event in &events {
        report::tell_event(&opened.state, event, out);
    }
    Ok(ExitCode::SUCCESS)
}
