//! `quorate node`: the servers that share a database.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use quorate_runtime::ports::{NodeRow, Nodes};
use quorate_store_postgres::PostgresStore;
use serde_json::json;

use crate::data_folder::{DataArguments, DataFolder};
use crate::output::Output;

/// How long a node may take to give its games away.
const DRAINED_WITHIN: Duration = Duration::from_secs(30);

/// How often to look whether it has.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What is asked of the nodes.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Every node: where it is, what it runs, how many games it owns.
    List,
    /// Have a node give its games to the others, and wait until it has. It still serves readers.
    Drain {
        /// The node's name.
        node: String,
    },
    /// Let a node take games again.
    Undrain {
        /// The node's name.
        node: String,
    },
}

/// Asks the nodes.
pub(super) fn run(arguments: &Arguments, out: &Output) -> Result<ExitCode> {
    let folder = DataFolder::own(&arguments.data)?;
    let store = folder.node.clone();
    let store = store.context("a folder has one server: name a database with --database")?;
    let done = folder.wait(async {
        match &arguments.what {
            What::List => list(&store, out).await,
            What::Drain { node } => drain(&store, node, out).await,
            What::Undrain { node } => set(&store, node, false).await,
        }
    });
    folder.wait(store.close());
    done.map(|()| ExitCode::SUCCESS)
}

async fn list(store: &PostgresStore, out: &Output) -> Result<()> {
    let nodes = store.list().await?;
    let told = nodes.iter().map(|node| {
        json!({
            "node": &*node.name, "address": &*node.address, "alive": node.is_alive, "draining": node.is_draining,
            "games": node.game_count, "edition": node.edition, "release": &*node.release,
        })
    });
    out.value(&json!({ "nodes": told.collect::<Vec<_>>() }));
    for node in &nodes {
        let standing = match (node.is_alive, node.is_draining) {
            (false, _) => out.red("gone"),
            (true, true) => "draining".to_owned(),
            (true, false) => out.green("up"),
        };
        out.line(format!(
            "{}: {standing}, {} games, at {}, release {}",
            node.name, node.game_count, node.address, node.release
        ));
    }
    Ok(())
}

async fn set(store: &PostgresStore, node: &str, is_draining: bool) -> Result<()> {
    if store.set_draining(node, is_draining).await? {
        return Ok(());
    }
    let names: Vec<Arc<str>> = store.list().await?.into_iter().map(|n| n.name).collect();
    bail!("there is no node {node}: there are {}", names.join(", "))
}

async fn drain(store: &PostgresStore, node: &str, out: &Output) -> Result<()> {
    set(store, node, true).await?;
    let draining = async {
        loop {
            let nodes = store.list().await?;
            let left = nodes.iter().find(|row| *row.name == *node && row.is_alive);
            let left = left.map_or(0, |row: &NodeRow| row.game_count);
            if left == 0 {
                return Ok::<_, anyhow::Error>(());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let drained = tokio::time::timeout(DRAINED_WITHIN, draining).await;
    drained.with_context(|| {
        format!(
            "{node} still owns games after {} s: is another node up?",
            DRAINED_WITHIN.as_secs()
        )
    })??;
    out.value(&json!({ "drained": node }));
    out.line(format!("{node} owns no games any more"));
    Ok(())
}
