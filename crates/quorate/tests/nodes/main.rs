//! Several nodes over a pair of databases: whatever dies, stands still, is slow, cut off or wrong about the time, nothing
//! acknowledged is lost or kept twice, and nobody reads what was true before.
//!
//! `QUORATE_SEED` makes a run another one, `QUORATE_NODES_ROUNDS` a longer one, of that many rounds of two minutes
//! (`QUORATE_NODES_SECONDS` says how many seconds instead). After each round all that clients saw is held against the
//! logs. `QUORATE_PROGRAM` names the program to be tried, where it is not the one that was built with the tests, and
//! `QUORATE_OLDER` an earlier release, from which a site is upgraded.
#![cfg(unix)]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail, and what went before it is told"
)]

mod cluster;
mod history;
mod link;
mod machine;
mod numbers;
mod readers;
mod removal;
mod run;
mod trouble;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use quorate_kernel::digest::Digest;

use cluster::{Cluster, program};
use history::{Game, Log, What, faults};
use run::Run;
use trouble::trouble;

const GAMES: [Game; 5] = ["reef", "moor", "fen", "tarn", "holt"];

/// How many clients there are, as many for each game.
const CLIENTS: usize = 10;

/// How many nodes.
const NODES: usize = 3;

/// How long a round is, in seconds.
const ROUND: u64 = 120;

/// Chance that a seed gives, the same each time.
struct Chance {
    seed: u64,
    nth: u64,
}

impl Chance {
    fn new(seed: u64) -> Self {
        Self { seed, nth: 0 }
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.nth += 1;
        let word = [self.seed.to_le_bytes(), self.nth.to_le_bytes()].concat();
        let bytes: [u8; 8] = Digest::of(&word).0[..8].try_into().unwrap();
        usize::try_from(u64::from_le_bytes(bytes) % (end as u64)).unwrap()
    }

    /// A time from so many milliseconds to less than so many.
    fn milliseconds(&mut self, from: usize, end: usize) -> Duration {
        let count = from + self.below(end - from);
        Duration::from_millis(u64::try_from(count).unwrap())
    }
}

/// Runs clients while things break, and holds what they saw against the logs.
fn round(
    cluster: &mut Cluster,
    tokens: &[String],
    (nth, seed): (u64, u64),
    lasts: Duration,
    breaks: impl FnOnce(&mut Cluster, &Run, Chance),
) {
    let run = Run::new(lasts);
    let front = cluster.front.clone();
    std::thread::scope(|scope| {
        for id in 0..CLIENTS {
            let (run, front) = (&run, &front);
            let (game, token) = (GAMES[id % GAMES.len()], &tokens[id % GAMES.len()]);
            let chance = Chance::new(seed * 1_000 + id as u64);
            scope.spawn(move || run.client(id, game, token, front, nth, chance));
        }
        breaks(cluster, &run, Chance::new(seed));
    });
    let steps = run.steps();
    let logs: BTreeMap<Game, Log> = GAMES
        .iter()
        .map(|game| (*game, cluster.log(game)))
        .collect();
    let count = |is: fn(&What) -> bool| steps.iter().filter(|step| is(&step.what)).count();
    let kept = count(|what| matches!(what, What::Kept { .. }));
    let seen = count(|what| matches!(what, What::Seen { .. }));
    let unknown = count(|what| matches!(what, What::Unknown { .. }));
    println!(
        "round {nth}, seed {seed}: {kept} commands kept, {seen} looks, {unknown} commands unknown"
    );
    assert_eq!(faults(&steps, &logs), [], "seed {seed}");
    assert_eq!(unknown, 0, "commands are answered when all is mended");
    assert!(kept > CLIENTS * 4, "only {kept} commands were kept");
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(otherwise, |set| set.parse().unwrap())
}

#[test]
fn nothing_is_lost_or_read_backwards_whatever_breaks() {
    let Some(mut cluster) = Cluster::start(NODES) else {
        return;
    };
    let tokens = cluster.found(&GAMES);
    let seed = number("QUORATE_SEED", 1);
    let rounds = number("QUORATE_NODES_ROUNDS", 1);
    let lasts = Duration::from_secs(number("QUORATE_NODES_SECONDS", ROUND));
    for nth in 0..rounds {
        let seed = seed * rounds + nth;
        round(&mut cluster, &tokens, (nth, seed), lasts, trouble);
    }
    for game in GAMES {
        cluster.judge(game);
    }
}

#[test]
fn a_site_is_upgraded_node_by_node() {
    let Some(mut cluster) = Cluster::start(NODES) else {
        return;
    };
    let tokens = cluster.found(&GAMES);
    let older = std::env::var_os("QUORATE_OLDER").map_or_else(program, PathBuf::from);
    for nth in 0..NODES {
        cluster.end(nth);
        cluster.nodes[nth].program.clone_from(&older);
        cluster.begin(nth);
    }
    let lasts = Duration::from_secs(20);
    round(&mut cluster, &tokens, (0, 1), lasts, |cluster, run, _| {
        for nth in 0..NODES {
            run.tell(&format!("{} is upgraded", cluster.nodes[nth].name));
            cluster.drains(nth, "drain");
            cluster.end(nth);
            cluster.nodes[nth].program = program();
            cluster.begin(nth);
            // Both releases serve side by side.
            run.wait(Duration::from_secs(3));
        }
    });
}
