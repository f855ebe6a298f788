//! Several nodes over one database: whatever dies, stands still or moves, nothing acknowledged is lost or kept twice,
//! and nobody reads what was true before.
//!
//! `QUORATE_NODES_SEED` and `QUORATE_NODES_ROUNDS` make a run another or a longer one.
#![cfg(unix)]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail, and what went before it is told"
)]

mod cluster;
mod history;
mod link;
mod numbers;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use quorate_kernel::digest::Digest;

use cluster::{Cluster, NoAnswer, head, roll};
use history::{Game, Log, Step, What, faults};

const GAMES: [Game; 4] = ["reef", "moor", "fen", "tarn"];

/// How many commands each client sends in a round; with others of its account less than an account may send at once.
const COMMANDS: u64 = 25;

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
}

/// What the clients of a run share.
struct Run {
    /// Counts the beginnings and ends of all steps.
    clock: AtomicU64,
    steps: Mutex<Vec<Step>>,
    /// How many commands were acknowledged; whoever breaks things waits for that.
    kept: Mutex<usize>,
    more: Condvar,
    sites: Vec<String>,
    clients_left: AtomicUsize,
    has_ended: AtomicBool,
}

impl Run {
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    fn note(&self, client: usize, game: Game, began: u64, what: What) {
        let ended = self.now();
        if matches!(what, What::Kept { .. }) {
            *self.kept.lock().unwrap() += 1;
            self.more.notify_all();
        }
        self.steps.lock().unwrap().push(Step {
            client,
            game,
            began,
            ended,
            what,
        });
    }

    /// Waits until so many more commands are acknowledged; false where the clients have ended.
    fn wait_for(&self, more: usize) -> bool {
        let kept = self.kept.lock().unwrap();
        let wanted = *kept + more;
        let waited = self.more.wait_while(kept, |kept| {
            *kept < wanted && !self.has_ended.load(Ordering::SeqCst)
        });
        drop(waited);
        !self.has_ended.load(Ordering::SeqCst)
    }
}

/// Sends commands to a game by whichever node, each again under its key until it is answered, and looks between them.
fn client(run: &Run, id: usize, game: Game, token: &str, round: u64, mut chance: Chance) {
    for nth in 0..COMMANDS {
        let key = format!("{round}-{id}-{nth}");
        let began = run.now();
        let mut what = What::Unknown { key: key.clone() };
        for _ in 0..200 {
            let site = &run.sites[chance.below(run.sites.len())];
            match roll(site, game, token, &key) {
                Ok(seq) => {
                    what = What::Kept { key, seq };
                    break;
                }
                // An account may send so much and no more; what was not kept by then is not asked for again.
                Err(NoAnswer::Said(429, _)) => break,
                Err(NoAnswer::Said(status, said)) if status < 500 => {
                    panic!("{game} at {site}: {said}")
                }
                Err(NoAnswer::Said(..) | NoAnswer::Gone) => {}
            }
        }
        run.note(id, game, began, what);
        let began = run.now();
        let site = &run.sites[chance.below(run.sites.len())];
        if let Ok((seq, hash)) = head(site, game) {
            run.note(id, game, began, What::Seen { seq, hash });
        }
    }
    if run.clients_left.fetch_sub(1, Ordering::SeqCst) == 1 {
        run.has_ended.store(true, Ordering::SeqCst);
        let _kept = run.kept.lock().unwrap();
        run.more.notify_all();
    }
}

/// Runs clients while `breaks` breaks things, and holds what they saw against the logs.
fn hold(
    cluster: &mut Cluster,
    tokens: &[String],
    round: u64,
    seed: u64,
    breaks: impl FnOnce(&mut Cluster, &Run, Chance),
) {
    let clients: Vec<(usize, Game)> = (0..GAMES.len() * 2)
        .map(|id| (id, GAMES[id % GAMES.len()]))
        .collect();
    let run = Run {
        clock: AtomicU64::new(1),
        steps: Mutex::default(),
        kept: Mutex::new(0),
        more: Condvar::new(),
        sites: cluster.nodes.iter().map(|node| node.site.clone()).collect(),
        clients_left: AtomicUsize::new(clients.len()),
        has_ended: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        for (id, game) in clients {
            let run = &run;
            let token = &tokens[id % GAMES.len()];
            let chance = Chance::new(seed * 1_000 + id as u64);
            scope.spawn(move || client(run, id, game, token, round, chance));
        }
        breaks(cluster, &run, Chance::new(seed));
    });
    let steps = run.steps.into_inner().unwrap();
    let logs: BTreeMap<Game, Log> = GAMES
        .iter()
        .map(|game| (*game, cluster.log(game)))
        .collect();
    let unknown = steps
        .iter()
        .filter(|step| matches!(step.what, What::Unknown { .. }));
    println!(
        "round {round}, seed {seed}: {} steps, {} unknown",
        steps.len(),
        unknown.count()
    );
    assert_eq!(faults(&steps, &logs), [], "seed {seed}");
    let kept = steps
        .iter()
        .filter(|step| matches!(step.what, What::Kept { .. }))
        .count();
    assert!(
        kept * 10 >= steps.len() * 4,
        "only {kept} of {} steps are kept commands",
        steps.len()
    );
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(otherwise, |set| set.parse().unwrap())
}

/// Nodes die, stand still and give their games away, in the order that chance gives.
fn trouble(cluster: &mut Cluster, run: &Run, mut chance: Chance) {
    while run.wait_for(12) {
        let nth = chance.below(cluster.nodes.len());
        let name = cluster.nodes[nth].name.clone();
        match chance.below(6) {
            0 => {
                println!("{name} dies");
                cluster.kill(nth);
                run.wait_for(8);
                cluster.begin(nth);
            }
            1 => {
                println!("{name} stands still");
                cluster.signal(nth, "-STOP");
                run.wait_for(6);
                cluster.signal(nth, "-CONT");
            }
            2 => {
                println!("{name} drains");
                cluster.drains(nth, "drain");
                run.wait_for(4);
                cluster.drains(nth, "undrain");
            }
            3 => {
                let (there, back) = [(true, false), (false, true), (true, true)][chance.below(3)];
                println!("{name} loses the database (there {there}, back {back})");
                cluster.nodes[nth].databases[0].cut(there, back);
                run.wait_for(6);
                cluster.nodes[nth].databases[0].cut(false, false);
            }
            4 => {
                println!("the others lose {name}");
                cluster.nodes[nth].others.cut(true, true);
                run.wait_for(4);
                cluster.nodes[nth].others.cut(false, false);
            }
            _ => {
                println!("{name} ends as told");
                cluster.signal(nth, "-TERM");
                run.wait_for(4);
                cluster.kill(nth);
                cluster.begin(nth);
            }
        }
    }
}

#[test]
fn nodes_may_die_stand_still_and_drain() {
    let Some(mut cluster) = Cluster::start(3, false) else {
        return;
    };
    let tokens = cluster.found(&GAMES);
    let seed = number("QUORATE_NODES_SEED", 1);
    for round in 0..number("QUORATE_NODES_ROUNDS", 1) {
        hold(&mut cluster, &tokens, round, seed + round, trouble);
    }
}

#[test]
fn the_database_may_die_when_a_standby_is_promoted() {
    let Some(mut cluster) = Cluster::start(2, true) else {
        return;
    };
    let tokens = cluster.found(&GAMES);
    hold(&mut cluster, &tokens, 0, 7, |cluster, run, _| {
        run.wait_for(40);
        println!("the database dies and its standby is promoted");
        cluster.servers[0].kill();
        cluster.servers[1].promote();
        run.wait_for(40);
        println!("the old one comes back, and nobody takes it for the new");
        cluster.servers[0].start_again();
        run.wait_for(20);
    });
}
