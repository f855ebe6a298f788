//! What a site of several nodes can carry, simulated from what things were measured to cost: `cargo xtask scale` prints the
//! tables of `docs/scale.md`.
//!
//! A busiest minute of a site of a given size is played: commands and pages come at random, wait for a processor of the
//! database and of a node, and are late where there is none. Nodes are added until pages are in time. What grows without
//! waiting, memory and disk, is counted.

use std::fmt::Write;

/// Times in milliseconds of a processor, from the benches that the page names.
const PAGE_MS: f64 = 3.0;
const JUDGE_MS: f64 = 0.2;
const APPEND_MS: f64 = 0.58;
const QUESTION_MS: f64 = 0.03;
const RENEWALS_MS: f64 = 0.1;

/// How often a page asks the database.
const QUESTIONS: u32 = 4;

/// What each player and each game do in a day, and how much more than that in the busiest hour.
const PLAYERS: f64 = 10.0;
const COMMANDS: f64 = 2.0;
const PAGES: f64 = 30.0;
const DUES: f64 = 5.0;
const BUSIEST: f64 = 4.0;

/// Which share of games was used within a quarter of an hour, and what the state of one takes.
const AWAKE: f64 = 0.2;
const STATE_GB: f64 = 0.0015;

/// What an event takes on disk.
const EVENT_GB: f64 = 1.5e-6;

/// The machines: processors of a node and of the database, memory of a node, disk of the database, its connections.
const NODE_CORES: usize = 4;
const DATABASE_CORES: usize = 4;
const NODE_GB: f64 = 16.0;
const DISK_GB: f64 = 1_000.0;
const CONNECTIONS: usize = 500;
const CONNECTIONS_EACH: usize = 10;

/// When a page counts as late.
const LATE_MS: f64 = 50.0;

const DAY_MS: f64 = 86_400_000.0;
const MINUTE_MS: f64 = 60_000.0;

/// The sizes that are played, in games.
const SIZES: [u32; 7] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/// What chance begins with.
const SEED: u64 = 1;

/// Chance between 0 and 1, the same for a seed each time.
struct Chance(u64);

impl Chance {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn next(&mut self) -> f64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The time until something comes that comes so often a millisecond.
    fn until_next(&mut self, rate: f64) -> f64 {
        -(1.0 - self.next()).ln() / rate
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is from 0 to less than `end`"
    )]
    fn below(&mut self, end: usize) -> usize {
        (self.next() * float(end)) as usize
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Processors that take work in the order in which it comes.
struct Processors {
    free_at: Vec<f64>,
    busy_ms: f64,
}

impl Processors {
    fn new(count: usize) -> Self {
        Self {
            free_at: vec![0.0; count],
            busy_ms: 0.0,
        }
    }

    /// Does work that came at a moment; gives when it is done.
    fn work(&mut self, at: f64, ms: f64) -> f64 {
        let first = self.free_at.iter_mut().min_by(|a, b| a.total_cmp(b));
        let Some(first) = first else { return at };
        *first = first.max(at) + ms;
        self.busy_ms += ms;
        *first
    }

    /// Which part of the minute they were busy.
    fn share(&self) -> f64 {
        self.busy_ms / MINUTE_MS / float(self.free_at.len())
    }
}

/// What a busiest minute was like.
struct Minute {
    /// How long the slowest page of a hundred took, and the slowest command.
    page_ms: f64,
    command_ms: f64,
    /// Which part of the time they were busy.
    nodes: f64,
    database: f64,
}

fn per_ms(a_day: f64) -> f64 {
    a_day * BUSIEST / DAY_MS
}

/// Plays the busiest minute of so many games on so many nodes.
fn minute(games: f64, node_count: usize) -> Minute {
    let mut chance = Chance(SEED);
    let mut database = Processors::new(DATABASE_CORES);
    let mut nodes: Vec<Processors> = (0..node_count)
        .map(|_| Processors::new(NODE_CORES))
        .collect();
    let commands = per_ms(games * (PLAYERS * COMMANDS + DUES));
    let pages = per_ms(games * PLAYERS * PAGES);
    let (mut page_ms, mut command_ms) = (Vec::new(), Vec::new());
    let mut at = 0.0;
    let mut second = 0.0;
    while at < MINUTE_MS {
        at += chance.until_next(commands + pages);
        while second < at {
            database.work(second, RENEWALS_MS * float(node_count));
            second += 1_000.0;
        }
        let node = &mut nodes[chance.below(node_count)];
        if chance.next() * (commands + pages) < commands {
            let judged = node.work(at, JUDGE_MS);
            command_ms.push(database.work(judged, APPEND_MS) - at);
        } else {
            let asked = (0..QUESTIONS).fold(at, |at, _| database.work(at, QUESTION_MS));
            page_ms.push(node.work(asked, PAGE_MS) - at);
        }
    }
    Minute {
        page_ms: slowest(&mut page_ms),
        command_ms: slowest(&mut command_ms),
        nodes: nodes.iter().map(Processors::share).sum::<f64>() / float(node_count),
        database: database.share(),
    }
}

/// What one of a hundred exceeds.
fn slowest(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() * 99 / 100).copied().unwrap_or(0.0)
}

/// A size, and what it needs.
struct Row {
    games: f64,
    node_count: usize,
    minute: Minute,
    /// What the copies on one node take where readers meet any node, and where the game's word chooses it.
    anywhere_gb: f64,
    by_word_gb: f64,
    disk_gb: f64,
}

fn row(games: u32) -> Row {
    let games = f64::from(games);
    let mut node_count = 2;
    let mut played = minute(games, node_count);
    // A database that is too slow does not become faster by nodes.
    while played.page_ms > LATE_MS && played.database < 0.9 {
        node_count += node_count.div_ceil(4);
        played = minute(games, node_count);
    }
    let states = games * AWAKE * STATE_GB;
    Row {
        games,
        node_count,
        minute: played,
        anywhere_gb: states,
        // The copy that readers meet, and now and then an owner elsewhere.
        by_word_gb: states * 1.5 / float(node_count),
        disk_gb: games * (PLAYERS * COMMANDS + DUES) * EVENT_GB * 365.0,
    }
}

/// What a size asks for beyond the machines that are assumed.
fn splits(row: &Row) -> Vec<&'static str> {
    let all = [
        (
            row.anywhere_gb > NODE_GB,
            "the proxy chooses the node by the game",
        ),
        (row.by_word_gb > NODE_GB, "more nodes, for memory"),
        (row.disk_gb > DISK_GB, "games by database, for the disk"),
        (row.minute.database > 0.5, "readers by replica"),
        (row.node_count * CONNECTIONS_EACH > CONNECTIONS, "a pooler"),
    ];
    all.iter()
        .filter_map(|(is_needed, what)| is_needed.then_some(*what))
        .collect()
}

/// At how many games each thing runs out, first things first, and what is done about it.
fn limits() -> Vec<(f64, &'static str, &'static str)> {
    let copy = AWAKE * STATE_GB;
    let a_year = (PLAYERS * COMMANDS + DUES) * EVENT_GB * 365.0;
    let probe = row(SIZES[4]);
    let mut limits = vec![
        (
            NODE_GB / copy,
            "memory of a node, when readers meet any node",
            "the proxy chooses the node by the game",
        ),
        (
            DISK_GB / a_year,
            "disk of the database, in a year",
            "games by database",
        ),
        (
            0.6 / probe.minute.nodes * probe.games / float(probe.node_count),
            "processors of one node",
            "one node more",
        ),
        (
            0.5 / probe.minute.database * probe.games,
            "processors of the database",
            "readers by replica, games by database",
        ),
    ];
    limits.sort_by(|a, b| a.0.total_cmp(&b.0));
    limits
}

/// The tables of the page.
pub(crate) fn tables() -> String {
    let mut out = String::from(
        "| games | commands a second | pages a second | nodes | busy | database busy | slowest page of 100 | slowest command of 100 |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let rows: Vec<Row> = SIZES.map(row).into();
    for row in &rows {
        let played = &row.minute;
        let commands = per_ms(row.games * (PLAYERS * COMMANDS + DUES)) * 1_000.0;
        let pages = per_ms(row.games * PLAYERS * PAGES) * 1_000.0;
        let line = writeln!(
            out,
            "| {} | {commands:.1} | {pages:.0} | {} | {:.0}% | {:.1}% | {:.1} ms | {:.1} ms |",
            row.games,
            row.node_count,
            played.nodes * 100.0,
            played.database * 100.0,
            played.page_ms,
            played.command_ms,
        );
        line.expect("a text takes everything");
    }
    out += "\n| games | memory of a node, readers anywhere | the same, by the game's word | disk a year | what to split |\n|---|---|---|---|---|\n";
    for row in &rows {
        let splits = splits(row);
        let splits = if splits.is_empty() {
            "nothing".to_owned()
        } else {
            splits.join("; ")
        };
        let line = writeln!(
            out,
            "| {} | {:.1} GB | {:.1} GB | {:.0} GB | {splits} |",
            row.games, row.anywhere_gb, row.by_word_gb, row.disk_gb,
        );
        line.expect("a text takes everything");
    }
    out += "\n| at so many games | runs out | what to split |\n|---|---|---|\n";
    for (games, what, split) in limits() {
        let thousands = (games / 1_000.0).round();
        let line = writeln!(out, "| {thousands} thousand | {what} | {split} |");
        line.expect("a text takes everything");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_tables_that_are_printed() {
        let page = std::fs::read_to_string(crate::tidy::root().join("docs/scale.md"));
        let page = page.expect("the page is there");
        for line in tables().lines() {
            assert!(page.contains(line), "docs/scale.md lacks: {line}");
        }
    }

    #[test]
    fn work_waits_for_a_processor() {
        let mut two = Processors::new(2);
        let done: Vec<f64> = [0.0, 0.0, 0.0]
            .iter()
            .map(|at| two.work(*at, 5.0))
            .collect();
        assert_eq!(done, [5.0, 5.0, 10.0]);
    }
}
