//! What goes wrong, in the order that a seed gives.

use std::time::Duration;

use super::Chance;
use super::cluster::{Cluster, TestNode, end_of};
use super::run::Run;

/// How wrong a clock is at most, in seconds.
const SKEW_MAX: usize = 1_800;

/// How late everything is on a slow link, at most.
const LATE_MAX_MS: usize = 1_200;

/// Breaks one thing after the other, and mends it, until the time of the run is over. Slow links and wrong clocks stay
/// while other things break.
pub(crate) fn trouble(cluster: &mut Cluster, run: &Run, mut chance: Chance) {
    while !run.is_over() {
        break_one(cluster, run, &mut chance);
        run.wait(chance.milliseconds(300, 2_500));
    }
    for nth in 0..cluster.nodes.len() {
        slow(cluster, run, nth, [Duration::ZERO; 4]);
        skew(cluster, run, nth, 0);
    }
}

fn break_one(cluster: &mut Cluster, run: &Run, chance: &mut Chance) {
    let nth = chance.below(cluster.nodes.len());
    // Some are over before a lease ends, some not.
    let long = chance.milliseconds(500, 8_000);
    let ways = [(true, false), (false, true), (true, true)][chance.below(3)];
    match chance.below(12) {
        0..4 => node(cluster, run, nth, chance.below(4), long),
        4..8 => connections(cluster, run, nth, chance.below(4), (long, ways)),
        8 => {
            let mut late = || chance.milliseconds(0, LATE_MAX_MS);
            let late = [late(), late(), late(), late()];
            slow(cluster, run, nth, late);
        }
        9 => {
            let ahead = chance.below(2 * SKEW_MAX);
            skew(cluster, run, nth, seconds(ahead) - seconds(SKEW_MAX));
        }
        10 => {
            run.tell(&format!("the database stands still for {long:?}"));
            cluster.servers[0].signal("-STOP");
            run.wait(long);
            cluster.servers[0].signal("-CONT");
        }
        _ => promotion(cluster, run, chance),
    }
}

/// A node dies, ends, stands still or gives its games away.
fn node(cluster: &mut Cluster, run: &Run, nth: usize, how: usize, long: Duration) {
    let name = cluster.nodes[nth].name.clone();
    match how {
        0 => {
            run.tell(&format!("{name} is killed"));
            cluster.kill(nth);
            run.wait(long / 2);
            cluster.begin(nth);
        }
        1 => {
            run.tell(&format!("{name} ends as told"));
            cluster.end(nth);
            run.wait(long / 4);
            cluster.begin(nth);
        }
        2 => {
            run.tell(&format!("{name} stands still for {long:?}"));
            cluster.signal(nth, "-STOP");
            run.wait(long);
            cluster.signal(nth, "-CONT");
        }
        _ => {
            run.tell(&format!("{name} drains"));
            cluster.drains(nth, "drain");
            run.wait(long / 4);
            cluster.drains(nth, "undrain");
        }
    }
}

/// What lies between a node and others is cut, one way or both.
fn connections(
    cluster: &Cluster,
    run: &Run,
    nth: usize,
    which: usize,
    (long, ways): (Duration, (bool, bool)),
) {
    let TestNode {
        name,
        databases,
        others,
        namespace,
        ..
    } = &cluster.nodes[nth];
    let (link, what) = match (which, namespace) {
        (0, Some(namespace)) => {
            run.tell(&format!(
                "{name} is cut off from everybody {ways:?} for {long:?}"
            ));
            namespace.lose(ways.0, ways.1);
            run.wait(long);
            return namespace.lose(false, false);
        }
        (1, _) => (others, format!("the others lose {name}")),
        (2, _) => (&cluster.replication, "the standby is cut off".to_owned()),
        _ => (&databases[0], format!("{name} loses the database")),
    };
    run.tell(&format!("{what} {ways:?} for {long:?}"));
    link.cut(ways.0, ways.1);
    run.wait(long);
    link.cut(false, false);
}

/// The primary dies and its standby is promoted; the dead one comes back for a while, and a new standby is made.
fn promotion(cluster: &mut Cluster, run: &Run, chance: &mut Chance) {
    // A node that starts now must reach both of them: one that reaches the old one alone has nothing to tell it by.
    for nth in 0..cluster.nodes.len() {
        slow(cluster, run, nth, [Duration::ZERO; 4]);
    }
    cluster.until_stood_by();
    run.tell("the primary dies and its standby is promoted");
    let old = cluster.fail_over();
    run.wait(chance.milliseconds(1_000, 4_000));
    if chance.below(2) == 0 {
        run.tell("the old primary comes back, and nobody takes it for the new");
        for node in &cluster.nodes {
            node.databases[1].lead_to(end_of(&old));
        }
        old.start_again();
        run.wait(chance.milliseconds(1_000, 4_000));
    }
    drop(old);
    cluster.stand_by();
    run.tell("there is a standby again");
}

fn seconds(count: usize) -> i64 {
    i64::try_from(count).unwrap()
}

fn slow(cluster: &Cluster, run: &Run, nth: usize, late: [Duration; 4]) {
    let node = &cluster.nodes[nth];
    let [asked, answered, there, back] = late;
    if late.iter().any(|late| !late.is_zero()) {
        let name = &node.name;
        run.tell(&format!(
            "{name} is slow: {asked:?} and {answered:?} to the database and back, {there:?} and {back:?} from other nodes"
        ));
    }
    for database in &node.databases {
        // A page asks the database several times.
        database.slow(asked / 8, answered / 8);
    }
    node.others.slow(there, back);
}

fn skew(cluster: &mut Cluster, run: &Run, nth: usize, seconds: i64) {
    let node = &mut cluster.nodes[nth];
    if let Some(clock) = &mut node.clock {
        if seconds != 0 {
            run.tell(&format!("the clock of {} is {seconds} s ahead", node.name));
        }
        clock.set(seconds);
    }
}
