//! Long runs: what looks for rare faults, in parts, so that it can be stopped and taken up again. `docs/long-runs.md` keeps what ran.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::counts::Counter;
use crate::shell::{self, answer, build_quorate, cargo};
use crate::tidy::root;

/// Where it is kept.
const LEDGER: &str = "docs/long-runs.md";

/// A long run: its name, in how many parts it goes, and what a part does with a seed of its own.
type LongRun = (&'static str, u64, fn(u64) -> Result<bool>);

const RUNS: [LongRun; 47] = [
    ("kills", 20, kills),
    ("server-kills", 20, server_kills),
    ("faults", 10, faults),
    ("cases", 20, cases),
    ("forms", 20, forms),
    ("kept-pages", 10, kept_pages),
    ("simulate-adventurers-2019", 50, |seed| {
        simulate("adventurers-2019", seed)
    }),
    ("simulate-arena-93", 50, |seed| simulate("arena-93", seed)),
    ("simulate-dda-55", 50, |seed| simulate("dda-55", seed)),
    ("simulate-dungeon-78", 50, |seed| {
        simulate("dungeon-78", seed)
    }),
    ("simulate-hordes-22", 50, |seed| simulate("hordes-22", seed)),
    ("forecasts-adventurers-2019", 50, |seed| {
        forecasts("adventurers-2019", seed)
    }),
    ("forecasts-arena-93", 50, |seed| forecasts("arena-93", seed)),
    ("forecasts-dda-55", 50, |seed| forecasts("dda-55", seed)),
    ("forecasts-dungeon-78", 50, |seed| {
        forecasts("dungeon-78", seed)
    }),
    ("forecasts-hordes-22", 50, |seed| {
        forecasts("hordes-22", seed)
    }),
    ("strict-adventurers-2019", 1, |_| strict("adventurers-2019")),
    ("strict-arena-93", 1, |_| strict("arena-93")),
    ("strict-dda-55", 1, |_| strict("dda-55")),
    ("strict-dungeon-78", 1, |_| strict("dungeon-78")),
    ("strict-hordes-22", 1, |_| strict("hordes-22")),
    ("mutate-adventurers-2019", 20, |seed| {
        mutate("adventurers-2019", seed)
    }),
    ("mutate-arena-93", 20, |seed| mutate("arena-93", seed)),
    ("mutate-dda-55", 20, |seed| mutate("dda-55", seed)),
    ("mutate-dungeon-78", 20, |seed| mutate("dungeon-78", seed)),
    ("mutate-hordes-22", 20, |seed| mutate("hordes-22", seed)),
    ("without-adventurers-2019", 3, |seed| {
        without("adventurers-2019", seed)
    }),
    ("without-arena-93", 3, |seed| without("arena-93", seed)),
    ("without-dda-55", 3, |seed| without("dda-55", seed)),
    ("without-dungeon-78", 3, |seed| without("dungeon-78", seed)),
    ("without-hordes-22", 3, |seed| without("hordes-22", seed)),
    ("amendments-adventurers-2019", 100, |seed| {
        amendments("adventurers-2019", seed)
    }),
    ("amendments-arena-93", 100, |seed| {
        amendments("arena-93", seed)
    }),
    ("amendments-dda-55", 100, |seed| amendments("dda-55", seed)),
    ("amendments-dungeon-78", 100, |seed| {
        amendments("dungeon-78", seed)
    }),
    ("amendments-hordes-22", 100, |seed| {
        amendments("hordes-22", seed)
    }),
    ("nodes", 6, nodes),
    ("large-node", 1, large_node),
    ("hostile", 1, hostile),
    ("memory", 1, memory),
    ("fuzz-rule", 10, |seed| fuzz("rule", seed)),
    ("fuzz-wire", 10, |seed| fuzz("wire", seed)),
    ("fuzz-event", 10, |seed| fuzz("event", seed)),
    ("fuzz-archive", 10, |seed| fuzz("archive", seed)),
    ("fuzz-import", 10, |seed| fuzz("import", seed)),
    ("fuzz-markup", 10, |seed| fuzz("markup", seed)),
    ("fuzz-command", 10, |seed| fuzz("command", seed)),
];

/// How many workers, or servers, are killed in a part.
const KILLS: &str = "50";

/// Into how many servers each fault is put in a part, ten times in each.
const FAULTS: &str = "2";

/// How many requests are made from the API's document in a part.
const CASES: &str = "1000";

/// How many forms are filled in, in a part.
const FORMS: &str = "2500";

/// How many kept pages are compared with pages drawn anew in a part; ten parts are ten thousand.
const COMPARISONS: &str = "1000";

/// How many rounds of two minutes are played against nodes in a part; six parts are an hour.
const NODES_ROUNDS: &str = "5";

/// How many steps are played without each rule.
const STEPS_WITHOUT: &str = "2000";

/// How many proposals of a part are forecast, enacted, compared and undone.
const PROPOSALS: &str = "20";

/// How many steps a part plays.
const STEPS: &str = "20000";

/// How many mutants a part draws.
const MUTANTS: &str = "200";

/// The most mutants of a hundred that may live.
const ALIVE: &str = "1";

/// How many random amendments are made in a part; a hundred parts are ten thousand.
const AMENDMENTS: &str = "100";

/// How many forms of each text a part of a fuzzer's run tries.
const FUZZ_ROUNDS: &str = "5000";

/// The names to choose from.
pub(crate) fn names() -> [&'static str; RUNS.len()] {
    RUNS.map(|(name, ..)| name)
}

/// Workers are killed at moments that the seed says.
fn kills(seed: u64) -> Result<bool> {
    let mut test = cargo("test");
    test.args(["--package", "quorate", "--test", "workers", "killed"]);
    // It says how long anybody waited.
    test.args(["--", "--nocapture"]);
    test.env("QUORATE_KILLS", KILLS);
    test.env("QUORATE_SEED", seed.to_string());
    Ok(shell::run(&mut test, Counter::new(None)?)?.succeeded)
}

/// Servers under load are killed at moments that the seed says.
fn server_kills(seed: u64) -> Result<bool> {
    let kept = ("QUORATE_KILLS", KILLS);
    let test = "what_was_acknowledged_outlives_every_kill";
    tested(
        &["--package", "quorate", "--test", "kills", test],
        kept,
        seed,
    )
}

/// Servers under load whose disk fails as the seed says.
fn faults(seed: u64) -> Result<bool> {
    let kept = ("QUORATE_FAULTS", FAULTS);
    let test = "what_was_acknowledged_outlives_a_disk_that_fails";
    tested(
        &["--package", "quorate", "--test", "kills", test],
        kept,
        seed,
    )
}

/// Requests that are made from the API's document.
fn cases(seed: u64) -> Result<bool> {
    let kept = ("QUORATE_CASES", CASES);
    let test = "made_from_the_document";
    tested(
        &["--package", "quorate-server", "--test", "api", test],
        kept,
        seed,
    )
}

/// Forms that are filled in by chance.
fn forms(seed: u64) -> Result<bool> {
    let kept = ("QUORATE_FORMS", FORMS);
    let test = "filled_in_by_chance";
    tested(
        &["--package", "quorate-server", "--test", "api", test],
        kept,
        seed,
    )
}

/// Kept pages beside pages drawn anew, while people do whatever the seed says.
fn kept_pages(seed: u64) -> Result<bool> {
    let kept = ("QUORATE_COMPARISONS", COMPARISONS);
    let test = "whatever_people_do";
    tested(
        &["--package", "quorate-server", "--test", "api", test],
        kept,
        seed,
    )
}

/// Nodes, databases and what lies between them break as the seed says, under load.
fn nodes(seed: u64) -> Result<bool> {
    let kept = ("QUORATE_NODES_ROUNDS", NODES_ROUNDS);
    let test = "nothing_is_lost_or_read_backwards";
    tested(
        &["--package", "quorate", "--test", "nodes", test],
        kept,
        seed,
    )
}

/// A node of ten thousand games.
fn large_node(_: u64) -> Result<bool> {
    benched("quorate", "node")
}

/// Runs a test so often, from a seed.
fn tested(which: &[&str], how_often: (&str, &str), seed: u64) -> Result<bool> {
    let mut test = cargo("test");
    test.args(which);
    test.env(how_often.0, how_often.1);
    test.env("QUORATE_SEED", seed.to_string());
    Ok(shell::run(&mut test, Counter::new(None)?)?.succeeded)
}

/// The program does something with a book.
fn with_book(command: &str, book: &str, arguments: &[&str]) -> Result<bool> {
    let Some(program) = build_quorate()? else {
        return Ok(false);
    };
    let mut run = std::process::Command::new(&program);
    run.current_dir(root()).args([command, book]);
    run.args(arguments);
    Ok(shell::run(&mut run, Counter::new(None)?)?.succeeded)
}

/// A book is played at random.
fn simulate(book: &str, seed: u64) -> Result<bool> {
    let seed = seed.to_string();
    with_book("simulate", book, &["--steps", STEPS, "--seed", &seed])
}

/// Random proposals are forecast, enacted, compared and undone.
fn forecasts(book: &str, seed: u64) -> Result<bool> {
    let seed = seed.to_string();
    with_book(
        "simulate",
        book,
        &["--forecasts", PROPOSALS, "--seed", &seed],
    )
}

/// Each clause's code is taken away: a test must miss it, and each test must miss something.
fn strict(book: &str) -> Result<bool> {
    with_book("coverage", book, &["--strict"])
}

/// Some mutants of a book are tried.
fn mutate(book: &str, seed: u64) -> Result<bool> {
    let seed = seed.to_string();
    let how = ["--sample", MUTANTS, "--most", ALIVE];
    with_book("mutate", book, &[&how[..], &["--seed", &seed]].concat())
}

/// A book is played at random without each of its rules in turn.
fn without(book: &str, seed: u64) -> Result<bool> {
    let seed = seed.to_string();
    let how = ["--without", "each", "--steps", STEPS_WITHOUT];
    with_book("simulate", book, &[&how[..], &["--seed", &seed]].concat())
}

/// The law of a book is amended at random, and the whole log judged again.
fn amendments(book: &str, seed: u64) -> Result<bool> {
    let seed = seed.to_string();
    with_book(
        "simulate",
        book,
        &["--amendments", AMENDMENTS, "--seed", &seed],
    )
}

/// Every hostile program in every place: in the engine, and against a server with workers.
fn hostile(_: u64) -> Result<bool> {
    Ok(benched("quorate-engine", "hostile")? && benched("quorate", "hostile")?)
}

/// Two hours of mixed use, with new laws and faults all the time.
fn memory(_: u64) -> Result<bool> {
    benched("quorate", "memory")
}

fn benched(package: &str, name: &str) -> Result<bool> {
    let mut bench = cargo("bench");
    bench.args(["--package", package, "--bench", name]);
    Ok(shell::run(&mut bench, Counter::new(None)?)?.succeeded)
}

/// Texts of a fuzzer's corpus in forms that the seed says.
fn fuzz(target: &str, seed: u64) -> Result<bool> {
    let mut test = cargo("test");
    test.args(["--package", "quorate", "--test", "corpora"]);
    test.env("QUORATE_FUZZ", target);
    test.env("QUORATE_FUZZ_ROUNDS", FUZZ_ROUNDS);
    test.env("QUORATE_SEED", seed.to_string());
    Ok(shell::run(&mut test, Counter::new(None)?)?.succeeded)
}

/// A line of the ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
struct LedgerRow {
    commit: String,
    name: String,
    seed: u64,
    /// The first part of this row, and how many are done with it.
    from: u64,
    done: u64,
    of: u64,
    took: Duration,
    found: String,
}

impl LedgerRow {
    fn line(&self) -> String {
        let (from, done, of) = (self.from, self.done, self.of);
        let took = self.took.as_secs();
        format!(
            "| {} | {} | {} | {from} to {done} of {of} | {took} s | {} |",
            self.commit, self.name, self.seed, self.found
        )
    }

    fn read(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [commit, name, seed, parts, took, found] = cells[..] else {
            return None;
        };
        let (from, rest) = parts.split_once(" to ")?;
        let (done, of) = rest.split_once(" of ")?;
        Some(Self {
            commit: commit.to_owned(),
            name: name.to_owned(),
            seed: seed.parse().ok()?,
            from: from.parse().ok()?,
            done: done.parse().ok()?,
            of: of.parse().ok()?,
            took: Duration::from_secs(took.strip_suffix(" s")?.parse().ok()?),
            found: found.to_owned(),
        })
    }

    /// Whether it is of the same run.
    fn goes_on(&self, other: &Self) -> bool {
        (&self.commit, &self.name, self.seed, self.from)
            == (&other.commit, &other.name, other.seed, other.from)
    }
}

/// The ledger with a row put in its place.
fn noted(ledger: &str, row: &LedgerRow) -> String {
    let same = |line: &str| LedgerRow::read(line).is_some_and(|known| known.goes_on(row));
    if !ledger.lines().any(same) {
        return format!("{}\n{}\n", ledger.trim_end(), row.line());
    }
    let lines = ledger.lines().map(|line| {
        if same(line) {
            row.line()
        } else {
            line.to_owned()
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// How many parts of a run are done, whatever the commit.
fn done(ledger: &str, name: &str, seed: u64) -> u64 {
    let rows = ledger.lines().filter_map(LedgerRow::read);
    let own = rows.filter(|row| row.name == name && row.seed == seed);
    own.map(|row| row.done).max().unwrap_or(0)
}

/// Runs what is left of a long run, and keeps each part in the ledger as it ends. False where something was found.
pub(crate) fn run(name: &str, seed: u64, resume: bool) -> Result<bool> {
    let Some((_, parts, part)) = RUNS.iter().find(|(known, ..)| *known == name) else {
        bail!("there is no long run called {name}");
    };
    let path = root().join(LEDGER);
    let ledger = fs::read_to_string(&path).with_context(|| format!("reading {LEDGER}"))?;
    let before = if resume { done(&ledger, name, seed) } else { 0 };
    let mut git = std::process::Command::new("git");
    let git = git
        .current_dir(root())
        .args(["rev-parse", "--short", "HEAD"]);
    let mut row = LedgerRow {
        commit: answer(git).unwrap_or_default().trim().to_owned(),
        name: name.to_owned(),
        seed,
        from: before + 1,
        done: before,
        of: *parts,
        took: Duration::ZERO,
        found: "nothing".to_owned(),
    };
    let mut all_well = true;
    for nth in before..*parts {
        let (well, took) = crate::steps::timed(|| part(seed + nth));
        row.took += took;
        row.done = nth + 1;
        if !well? {
            all_well = false;
            let failed = format!("part {} fails, seed {}", nth + 1, seed + nth);
            row.found = match row.found.as_str() {
                "nothing" => failed,
                before => format!("{before}; {failed}"),
            };
        }
        let ledger = fs::read_to_string(&path)?;
        fs::write(&path, noted(&ledger, &row))?;
        println!("{}", row.line());
    }
    Ok(all_well)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(commit: &str, from: u64, done: u64) -> LedgerRow {
        LedgerRow {
            commit: commit.to_owned(),
            name: "kills".to_owned(),
            seed: 7,
            from,
            done,
            of: 20,
            took: Duration::from_secs(90),
            found: "nothing".to_owned(),
        }
    }

    #[test]
    fn a_run_goes_on_where_it_was_stopped_and_each_commit_has_its_row() {
        let head = "# Long runs\n\n| commit | run | seed | parts | took | found |\n|---|---|---|---|---|---|\n";
        let first = noted(head, &row("abc", 1, 1));
        let second = noted(&first, &row("abc", 1, 2));
        assert_eq!(second.lines().count(), head.lines().count() + 1);
        assert_eq!(done(&second, "kills", 7), 2);
        let third = noted(&second, &row("def", 3, 3));
        assert_eq!(third.lines().count(), head.lines().count() + 2);
        assert_eq!(done(&third, "kills", 7), 3);
        assert_eq!(done(&third, "kills", 8), 0);
        assert_eq!(
            LedgerRow::read(&row("def", 3, 3).line()),
            Some(row("def", 3, 3))
        );
    }
}
