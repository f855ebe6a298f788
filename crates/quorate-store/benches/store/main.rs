//! The budgets of keeping games, as ratios within one run, so that they mean the same on every machine.
//!
//! `cargo bench -p quorate-store`; with `-- --long` the big game has a million events instead of a hundred thousand.

mod big_game;
mod slow;
mod stopwatch;
mod votes;

use std::path::Path;
use std::sync::Arc;

use quorate_runtime::ports::{Journal, Seals, SystemClock};
use quorate_runtime::testing::Counters;
use quorate_runtime::{Games, GamesSettings, Ports};
use quorate_store::{Store, StoreOptions};

fn main() {
    let is_long = std::env::args().any(|argument| argument == "--long");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        votes::measure().await;
        big_game::measure(if is_long { 1_000_000 } else { 100_000 }).await;
    });
}

/// A server on a folder, with a journal between it and the store.
async fn serve(store: &Arc<Store>, journal: Arc<dyn Journal>) -> Games {
    let ports = Ports {
        journal,
        seals: Arc::clone(store) as Arc<dyn Seals>,
        judges: Arc::new(Counters),
        clock: Arc::new(SystemClock),
        secret: store.secret().expect("an owner knows the secret"),
        others: None,
    };
    let games = Games::start(ports, GamesSettings::default()).await;
    games.expect("games start")
}

async fn open(folder: &Path) -> Arc<Store> {
    let store = Store::open(folder, StoreOptions::default()).await;
    Arc::new(store.expect("the store opens"))
}

/// Prints one line of the report.
#[expect(
    clippy::print_stdout,
    reason = "the report is what this program is for"
)]
fn report(what: &str, found: &str, budget: &str) {
    println!("{what:<58} {found:>24}   budget: {budget}");
}
