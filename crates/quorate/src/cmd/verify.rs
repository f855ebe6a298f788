//! `quorate verify`: does a log hold together?

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use quorate_kernel::GameId;
use quorate_runtime::in_process::{InProcess, Rejudger};
use quorate_runtime::verify::{self, Grade, VerifyProgress};
use quorate_runtime::{LogFault, fold};
use serde_json::json;

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::{FOUND_WRONG, Output};

/// Which game, and how closely to look.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The game's word.
    game: GameId,
    /// How closely to look.
    #[arg(long, value_enum, default_value_t = HowClose::Judgement)]
    grade: HowClose,
}

/// How closely to look.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq)]
enum HowClose {
    /// Each event follows from the one before.
    Chain,
    /// And its effects fit the state that they change.
    Fold,
    /// And the law of its time, given its tape, comes to the same effects.
    Judgement,
}

/// Verifies a game.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::look(&arguments.data)?;
    let grade = match arguments.grade {
        HowClose::Chain => Grade::Chain,
        HowClose::Fold => Grade::Fold,
        HowClose::Judgement => Grade::Judgement(Box::new(rejudger(&folder, &arguments.game)?)),
    };
    let bar = out.progress("events");
    let mut progress = |progress: VerifyProgress| bar.at(progress.done.0, progress.of.0);
    let verdict = folder.wait(verify::verify(
        &*folder.store,
        &*folder.store,
        &arguments.game,
        grade,
        &mut progress,
    ))?;
    bar.done();
    let place = |fault: &LogFault| json!({ "seq": fault.seq.0, "what": fault.what.to_string() });
    out.value(&json!({
        "game": arguments.game.as_str(),
        "holds": verdict.holds(),
        "events": verdict.head.seq.0,
        "head": verdict.head.hash.to_string(),
        "state": verdict.state.map(|digest| digest.to_string()),
        "fault": verdict.fault.as_ref().map(place),
        "differences": verdict.differences.iter().map(place).collect::<Vec<_>>(),
        "difference_count": verdict.difference_count,
        "dice": { "proven": verdict.dice.proven, "unproven": verdict.dice.unproven },
    }));
    if let Some(fault) = &verdict.fault {
        out.line(format!("{} {fault}", out.red("broken")));
    }
    for difference in &verdict.differences {
        out.line(format!("{} {difference}", out.red("differs")));
    }
    let state = verdict
        .state
        .map(|digest| format!(", state {}", digest.short()))
        .unwrap_or_default();
    let word = if verdict.holds() {
        out.green("holds")
    } else {
        out.red("does not hold")
    };
    out.line(format!(
        "{}: {} events, head {}{state}, {} differences, {} dice proven, {} to be proven: {word}",
        arguments.game,
        verdict.head.seq,
        verdict.head.hash.short(),
        verdict.difference_count,
        verdict.dice.proven,
        verdict.dice.unproven
    ));
    Ok(if verdict.holds() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FOUND_WRONG)
    })
}

fn rejudger(folder: &DataFolder, game: &GameId) -> Result<Rejudger> {
    let secret = folder.secret_of(game)?;
    let secret = secret.context("the server's secret cannot be read, and without it nothing can be judged again: try --grade fold")?;
    let (store, of) = (Arc::clone(&folder.store), game.clone());
    let handle = folder.handle();
    let find = move |seq| {
        let found = handle.block_on(fold::events_of(&*store, &*store, &of, &[seq]));
        found.ok().and_then(|mut events| events.pop())
    };
    let judges = Arc::new(InProcess::new(&folder.laws));
    Ok(Rejudger::new(judges, game.clone(), secret, Box::new(find)))
}
