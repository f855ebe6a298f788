//! `quorate migrate`: everything from one place to another, whole and verified.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, GameId, Moment, record};
use quorate_runtime::fold;
use quorate_runtime::judge::Head;
use quorate_runtime::ports::{
    AllAccounts, Arrival, Batch, Claim, ClaimFor, Epoch, GameRow, Nodes, Stored, WholeAccounts,
};
use quorate_runtime::verify::{Grade, verify};
use serde_json::json;

use crate::data_folder::{self, DataArguments, DataFolder, Place, SiteStore};
use crate::output::Output;

/// How many events go over at a time.
const EVENTS_AT_ONCE: usize = 512;

/// From where to where.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Where everything is: sqlite:DIR, or postgres://… as for --database.
    from: Place,
    /// Where it is to be: an empty place, or one to which an earlier try went.
    to: Place,
    /// The folder of the server's secret, which goes with a database.
    #[arg(long, value_name = "DIR", default_value = "./data")]
    data: PathBuf,
}

/// Copies everything.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    ensure!(arguments.from != arguments.to, "it is there already");
    share_secret(arguments)?;
    let open = |place: &Place| {
        DataFolder::own(&DataArguments {
            data: arguments.data.clone(),
            database: Some(place.clone()),
        })
    };
    let (from, to) = (open(&arguments.from)?, open(&arguments.to)?);
    for place in [&from, &to] {
        nobody_serves(place)?;
    }
    let rows = from.wait(from.store.games())?;
    let bar = out.progress("games");
    let mut event_count = 0;
    for (done, row) in rows.iter().enumerate() {
        bar.at(done as u64, rows.len() as u64);
        event_count += row.head.seq.0;
        let copied = from.wait(copy(&*from.store, &*to.store, row));
        copied.with_context(|| format!("{} did not go over whole", row.game))?;
    }
    bar.done();
    from.wait(copy_outages(&*from.store, &*to.store))?;
    let account_count = from.wait(copy_accounts(&*from.store, &*to.store))?;
    for place in [&from, &to] {
        if let Some(node) = &place.node {
            place.wait(node.close());
        }
    }
    out.value(&json!({
        "games": rows.len(), "events": event_count, "accounts": account_count, "verified": true,
    }));
    out.line(format!(
        "{} {} games with {event_count} events and {account_count} accounts; each log was read again and comes to the same state",
        out.green("copied"),
        rows.len()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Dice and salts follow from the secret, so it is the same on both sides.
fn share_secret(arguments: &Arguments) -> Result<()> {
    let folder = |place: &Place| match place {
        Place::Folder(folder) => folder.clone(),
        Place::Postgres(_) => arguments.data.clone(),
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
fn nobody_serves(place: &DataFolder) -> Result<()> {
    let Some(node) = &place.node else {
        return Ok(());
    };
    let nodes = place.wait(node.list())?;
    if let Some(node) = nodes.iter().find(|node| node.is_alive) {
        bail!("the node {} uses the database: stop it first", node.name);
    }
    Ok(())
}

/// Copies a game, or finds it there from an earlier try, and compares both.
async fn copy(from: &dyn SiteStore, to: &dyn SiteStore, row: &GameRow) -> Result<()> {
    let game = &row.game;
    let is_there = match to.game(game).await? {
        Some(there) if there.whole => {
            ensure!(
                there.head == row.head,
                "there is another game of that name there"
            );
            true
        }
        Some(_) => {
            // Left over from an earlier try.
            to.discard(game).await?;
            false
        }
        None => false,
    };
    let epoch = match to.claim(game, ClaimFor::Founding).await? {
        Claim::Ours(lease) => lease.epoch,
        Claim::Theirs(node) => bail!("the node {} owns it", node.name),
    };
    if !is_there {
        copy_log(from, to, row, epoch).await?;
        copy_snapshot(from, to, row).await?;
    }
    compare(from, to, game).await?;
    if !is_there {
        to.unveil(game).await?;
    }
    Ok(to.release(game, epoch).await?)
}

async fn copy_log(
    from: &dyn SiteStore,
    to: &dyn SiteStore,
    row: &GameRow,
    epoch: Epoch,
) -> Result<()> {
    let mut after = Head::START;
    while after.seq < row.head.seq {
        let opens = from
            .events(&row.game, after.seq.next(), EVENTS_AT_ONCE)
            .await?;
        let (events, lost) = with_seals(from, &opens).await?;
        let last = opens.last().zip(events.last());
        let (open, event) = last.context("the log ends before its end")?;
        let head = Head {
            seq: event.seq,
            hash: record::hash(open),
            at: event.at,
        };
        let founds = after == Head::START;
        let batch = Batch {
            game: row.game.clone(),
            epoch,
            after,
            events: events.iter().zip(&opens).map(stored).collect(),
            head,
            next_due: row.next_due,
            // Until it is whole nobody sees it.
            arrival: founds.then_some(Arrival { secret: row.secret }),
        };
        to.append(&[batch]).await?;
        // What was forgotten stays so, whoever still remembers it.
        to.forget(&lost).await?;
        after = head;
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

fn stored((event, open): (&Event, &Vec<u8>)) -> Stored {
    Stored {
        seq: event.seq,
        actor: event.command().actor,
        key: event.key.clone(),
        open: open.clone(),
        seals: record::encode(event).seals,
    }
}

async fn copy_snapshot(from: &dyn SiteStore, to: &dyn SiteStore, row: &GameRow) -> Result<()> {
    if let Some(snapshot) = from.snapshot_before(&row.game, row.head.seq).await? {
        to.put_snapshot(&row.game, &snapshot).await?;
    }
    Ok(())
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
    // Only a game that everybody sees is opened; the fold looks at the log alone.
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

async fn copy_outages(from: &dyn SiteStore, to: &dyn SiteStore) -> Result<()> {
    for outage in from.outages(Moment(i64::MIN)).await? {
        to.note_outage(outage).await?;
    }
    // The time that this takes is downtime too.
    if let Some(beat) = from.last_beat().await? {
        to.beat(beat).await?;
    }
    Ok(())
}

async fn copy_accounts(from: &dyn SiteStore, to: &dyn SiteStore) -> Result<usize> {
    let all = from.everything().await?;
    let is_fresh = to.everything().await? != all;
    if is_fresh {
        ensure!(
            to.accounts().await?.is_empty(),
            "there are other accounts there: name an empty place"
        );
        WholeAccounts::take_in(to, &all).await?;
    }
    copy_safety(from, to, &all).await?;
    if is_fresh {
        copy_records(from, to).await?;
    }
    ensure!(to.everything().await? == all, "the accounts differ there");
    Ok(all.accounts.len())
}

/// Second factors, ways in from elsewhere, and what accounts are kept from.
async fn copy_safety(from: &dyn SiteStore, to: &dyn SiteStore, all: &AllAccounts) -> Result<()> {
    for account in &all.accounts {
        if let Some(factor) = from.second_factor(account.id).await? {
            // Codes for a lost app are kept by digests that nobody reads; their owner makes new ones.
            let set = to.set_second_factor(account.id, &factor.secret, factor.last_step, &[]);
            set.await?;
        }
        let kept = to.outside_ways(account.id).await?;
        for way in from.outside_ways(account.id).await? {
            if !kept.contains(&way) {
                to.link_outside(account.id, &way).await?;
            }
        }
        if let Some(restraint) = from.restraint(account.id, data_folder::now()).await? {
            to.restrain(account.id, &restraint).await?;
        }
    }
    Ok(())
}

/// Open reports, and the security log.
async fn copy_records(from: &dyn SiteStore, to: &dyn SiteStore) -> Result<()> {
    for (_, report) in from.reports().await? {
        to.report(&report).await?;
    }
    for entry in from.entries(None, u32::MAX).await?.iter().rev() {
        to.note(entry).await?;
    }
    Ok(())
}
