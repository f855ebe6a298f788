//! `quorate migrate`: everything from one place to another, whole and verified.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, GameId, record};
use quorate_runtime::fold;
use quorate_runtime::ports::{Nodes, Taken, carry};
use quorate_runtime::verify::{Grade, verify};
use serde_json::json;

use crate::data_folder::{DataArguments, DataFolder, DataPlace, SiteStore};
use crate::objects::ObjectPlace;
use crate::output::Output;

/// How many events are compared at a time.
const EVENTS_AT_ONCE: usize = 512;

/// From where to where.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where everything is: sqlite:DIR, or postgres://… as for --database.
    from: DataPlace,
    /// Where it is to be: an empty place.
    to: DataPlace,
    /// The folder of the server's secret, which goes with a database.
    #[arg(long, value_name = "DIR", default_value = "./data")]
    data: PathBuf,
    /// Where uploaded pictures and the logs of games at rest lie, which stay there.
    #[arg(long, value_name = "PLACE")]
    objects: Option<ObjectPlace>,
}

/// Copies everything.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    ensure!(arguments.from != arguments.to, "it is there already");
    share_secret(arguments)?;
    let open = |place: &DataPlace| {
        DataFolder::own(&DataArguments {
            data: arguments.data.clone(),
            database: Some(place.clone()),
            objects: arguments.objects.clone(),
        })
    };
    let (from, to) = (open(&arguments.from)?, open(&arguments.to)?);
    for place in [&from, &to] {
        nobody_serves(place)?;
    }
    let taken = from.wait(carried(&*from.store, &*to.store))?;
    let rows = from.wait(from.store.games())?;
    let bar = out.progress("games");
    let mut event_count = 0;
    for (done, row) in rows.iter().enumerate() {
        bar.at(done as u64, rows.len() as u64);
        event_count += row.head.seq.0;
        let compared = from.wait(compare(&*from.store, &*to.store, &row.game));
        compared.with_context(|| {
            format!(
                "{} did not go over whole: do not use the new place",
                row.game
            )
        })?;
    }
    bar.done();
    let account_count = to.wait(to.store.accounts())?.len();
    for place in [&from, &to] {
        if let Some(node) = &place.node {
            place.wait(node.close());
        }
    }
    out.value(&json!({
        "games": rows.len(), "events": event_count, "accounts": account_count, "rows": taken.row_count, "left_behind": taken.left_behind, "verified": true,
    }));
    out.line(format!(
        "{} {} games with {event_count} events and {account_count} accounts; each log was read again and comes to the same state",
        out.green("copied"),
        rows.len()
    ));
    for (table, row_count) in &taken.left_behind {
        out.line(format!(
            "{}: {row_count} rows of {table}, for which there is no place",
            out.red("left behind")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Carries all that is kept from one place into another, which is empty.
pub(crate) async fn carried(from: &dyn SiteStore, to: &dyn SiteStore) -> Result<Taken> {
    let taken = carry(from, to).await.context("nothing was copied")?;
    // The time that this takes is downtime too.
    if let Some(beat) = from.last_beat().await? {
        to.beat(beat).await?;
    }
    Ok(taken)
}

/// Dice and salts follow from the secret, so it is the same on both sides.
fn share_secret(arguments: &Arguments) -> Result<()> {
    let folder = |place: &DataPlace| match place {
        DataPlace::Folder(folder) => folder.clone(),
        DataPlace::Postgres(_) => arguments.data.clone(),
    };
    let (from, to) = (folder(&arguments.from), folder(&arguments.to));
    if from == to {
        return Ok(());
    }
    quorate_store::copy_secret(&from, &to).with_context(|| {
        format!(
            "the secret in {} is to go to {}",
            from.display(),
            to.display()
        )
    })
}

/// A folder is locked by whoever uses it; of a database the nodes are asked.
pub(crate) fn nobody_serves(place: &DataFolder) -> Result<()> {
    let Some(node) = &place.node else {
        return Ok(());
    };
    let nodes = place.wait(node.list())?;
    if let Some(node) = nodes.iter().find(|node| node.is_alive) {
        bail!("the node {} uses the database: stop it first", node.name);
    }
    Ok(())
}

/// Events with what lies beside them, and which of that was forgotten.
async fn with_seals(from: &dyn SiteStore, opens: &[Vec<u8>]) -> Result<(Vec<Event>, Vec<Digest>)> {
    let events: Result<Vec<Event>, _> = opens.iter().map(|open| record::decode(open)).collect();
    let mut events = events?;
    let mut wanted: Vec<Digest> = Vec::new();
    for event in &mut events {
        wanted.extend(record::restore(event, &|_| None));
    }
    wanted.sort_unstable();
    wanted.dedup();
    let found = from.find(&wanted).await?;
    for event in &mut events {
        record::restore(event, &|digest| found.get(&digest).cloned());
    }
    wanted.retain(|digest| !found.contains_key(digest));
    Ok((events, wanted))
}

/// Reads both logs from their beginning: byte by byte the same, and what lies beside them too.
async fn compare(from: &dyn SiteStore, to: &dyn SiteStore, game: &GameId) -> Result<()> {
    let mut seq = EventSeq(1);
    let mut receipts = BTreeSet::new();
    loop {
        let theirs = from.events(game, seq, EVENTS_AT_ONCE).await?;
        let ours = to.events(game, seq, EVENTS_AT_ONCE).await?;
        ensure!(theirs == ours, "the logs differ after event {seq}");
        if theirs.is_empty() {
            break;
        }
        let (events, lost) = with_seals(from, &theirs).await?;
        let (there, lost_there) = with_seals(to, &ours).await?;
        ensure!(
            events == there && lost == lost_there,
            "what lies beside the events after {seq} differs"
        );
        let keys: Vec<_> = events
            .iter()
            .map(|event| (event.command().actor, event.key.clone()))
            .filter(|key| receipts.insert(key.clone()))
            .collect();
        let known = to.receipts(game, &keys).await?;
        ensure!(
            from.receipts(game, &keys).await? == known,
            "the receipts after event {seq} differ"
        );
        seq = EventSeq(seq.0 + theirs.len() as u64);
    }
    let verdict = verify(to, to, game, Grade::Fold, &mut |_| {}).await?;
    ensure!(
        verdict.holds(),
        "its log does not hold together there: {verdict:?}"
    );
    let head = from.game(game).await?.context("it is gone")?.head;
    let (state, _) = fold::state_at(from, from, game, head.seq).await?;
    let (there, _) = fold::state_at(to, to, game, head.seq).await?;
    ensure!(state == there, "it comes to another state there");
    Ok(())
}
