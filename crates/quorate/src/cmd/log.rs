//! `quorate log`: what happened in a game.

use std::process::ExitCode;

use anyhow::Result;
use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::fold;
use serde_json::json;

use crate::home::{Data, Home};
use crate::out::Out;
use crate::words;

/// Which log, and how much of it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: Data,
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
pub(super) fn run(arguments: &Arguments, out: &Out) -> Result<ExitCode> {
    let home = Home::look(&arguments.data.data)?;
    let opened = home.wait(fold::open(&*home.store, &*home.store, &arguments.game))?;
    let last = opened.row.head.seq.0;
    let from = arguments
        .from
        .unwrap_or_else(|| last.saturating_sub(arguments.count) + 1)
        .max(1);
    let to = last.min(from.saturating_add(arguments.count) - 1);
    let wanted: Vec<EventSeq> = (from..=to).map(EventSeq).collect();
    let events = home.wait(fold::events_of(
        &*home.store,
        &*home.store,
        &arguments.game,
        &wanted,
    ))?;
    out.value(&json!({
        "game": arguments.game.as_str(),
        "last": last,
        "events": events.iter().map(|event| words::event_json(&opened.state, event)).collect::<Vec<_>>(),
    }));
    for event in &events {
        words::tell_event(&opened.state, event, out);
    }
    Ok(ExitCode::SUCCESS)
}
