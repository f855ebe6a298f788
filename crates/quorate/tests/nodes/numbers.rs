//! How long games take no commands when a node dies, when one gives its games away, and when the database dies:
//!
//! `cargo test --release -p quorate --test nodes -- how_long --nocapture`

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::GAMES;
use super::cluster::{Cluster, roll};
use super::run::now;

/// How long games take no commands at most after a node's death.
const DEATH: Duration = Duration::from_secs(8);

/// While a node gives its games away. The best of some counts, for another program on the machine makes any longer.
const DRAIN: Duration = Duration::from_millis(300);
const DRAINS: usize = 5;

/// After the primary's death, where its standby is promoted at once.
const PROMOTION: Duration = Duration::from_secs(15);

/// Sends a command to a game by a node, again and again under its key, until it is acknowledged.
fn until_kept(cluster: &Cluster, nth: usize, game: usize, token: &str, key: &str) {
    let site = &cluster.nodes[nth].site;
    let is_kept = || roll(site, GAMES[game], token, key).is_ok();
    // Each try waits for an answer by itself; an account that has sent too much is refused at once until it may again.
    let mut tries = 0..100_000;
    assert!(
        tries.any(|_| is_kept()),
        "{} takes commands again",
        GAMES[game]
    );
}

/// Has commands sent to all games by a node while something happens, and gives the longest time that any of them took.
fn longest(
    cluster: &Cluster,
    nth: usize,
    tokens: &[String],
    what: &str,
    happens: impl FnOnce(),
) -> Duration {
    let has_happened = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let sending: Vec<_> = tokens
            .iter()
            .enumerate()
            .map(|(game, token)| {
                let has_happened = &has_happened;
                scope.spawn(move || {
                    let mut longest = Duration::ZERO;
                    // Some before, those that are held up, and one that is not.
                    for turn in 0..8 {
                        let is_last = has_happened.load(Ordering::SeqCst);
                        let began = now();
                        until_kept(cluster, nth, game, token, &format!("{what} {turn}"));
                        longest = longest.max(began.elapsed());
                        if is_last {
                            break;
                        }
                    }
                    longest
                })
            })
            .collect();
        happens();
        has_happened.store(true, Ordering::SeqCst);
        let waits = sending.into_iter().map(|sent| sent.join().unwrap());
        waits.max().unwrap_or_default()
    })
}

#[test]
fn how_long_games_stand_still() {
    let Some(mut cluster) = Cluster::start(2) else {
        return;
    };
    let tokens = cluster.found(&GAMES);
    // Whoever is asked first owns a game.
    for (game, token) in tokens.iter().enumerate() {
        until_kept(&cluster, 0, game, token, "begins");
    }
    let plain = longest(&cluster, 1, &tokens, "plain", || ());
    println!("a command by the other node: {plain:?} at most");
    cluster.kill(0);
    let dead = longest(&cluster, 1, &tokens, "dead", || ());
    println!("after a node's death: {dead:?} at most");
    cluster.begin(0);
    let mut drained = Duration::MAX;
    for nth in 0..DRAINS {
        let (from, to) = (1 - nth % 2, nth % 2);
        let drains = || cluster.drains(from, "drain");
        let took = longest(&cluster, to, &tokens, &format!("drained {nth}"), drains);
        println!("while a node gives its games away: {took:?} at most");
        drained = drained.min(took);
        cluster.drains(from, "undrain");
    }
    let promoted = longest(&cluster, 0, &tokens, "promoted", || {
        cluster.servers[0].kill();
        cluster.servers[1].promote();
    });
    println!("after the primary's death: {promoted:?} at most");
    assert!(dead < DEATH, "after a node's death");
    assert!(drained < DRAIN, "while a node gives its games away");
    assert!(promoted < PROMOTION, "after the primary's death");
}
