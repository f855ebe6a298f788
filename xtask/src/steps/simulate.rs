//! Whole games by players who race, lie and vanish. A seed tells a game apart; one that fails
//! prints the command which plays it again.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use super::outcome::{Options, Outcome, tests};
use super::rules::{folders, has_command};
use crate::counts::Tally;
use crate::shell::{Ran, build_quorate};

/// How much of a rulebook is played.
#[derive(Clone, Copy)]
struct Share {
    seeds: u32,
    steps: u32,
}

/// How many proposals of a seed are forecast, enacted and undone: one seed, and in the long run fifty.
const FORECASTS: u32 = 20;

/// How many amendments a seed has, and how many seeds there are of them in the long run; otherwise one.
const AMENDMENTS: u32 = 100;
const AMENDED_LONG: u32 = 100;

/// How many steps are played without each rule, in the long run.
const WITHOUT_STEPS: u32 = 2_000;

/// Rulebooks that are played more than others, for they use more of the machine.
const SHARES: [(&str, Share); 1] = [(
    "adventurers-2019",
    Share {
        seeds: 10,
        steps: 2_000,
    },
)];
const OTHERS: Share = Share {
    seeds: 4,
    steps: 2_000,
};
const LONG: Share = Share {
    seeds: 50,
    steps: 20_000,
};

pub(super) fn run(options: &Options) -> Result<Outcome> {
    let mut books: Vec<String> = folders()
        .iter()
        .filter(|folder| folder.join("rules").is_dir())
        .filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()))
        .collect();
    books.retain(|book| book != "std");
    if books.is_empty() {
        return Ok(Outcome::skipped("there is no rulebook"));
    }
    let Some(quorate) = build_quorate()? else {
        return Ok(Outcome::of(false));
    };
    if !has_command(&quorate, "simulate") {
        return Ok(Outcome::skipped("the binary has no command `simulate`"));
    }
    let mut played = Vec::new();
    for book in books {
        let share = share(&book, options.long);
        println!("{book}: {} games of {} steps", share.seeds, share.steps);
        let games = games(share, options.long).into_iter();
        played.extend(games.map(|(seed, how)| (book.clone(), seed, how)));
    }
    all_played(&quorate, played)
}

/// Plays games side by side, one for each processor, until one fails.
fn all_played(quorate: &Path, games: Vec<(String, u32, Vec<String>)>) -> Result<Outcome> {
    let (games, result) = (
        Mutex::new(games.into_iter()),
        Mutex::new((true, Tally::default())),
    );
    let next = || lock(&result).0.then(|| lock(&games).next()).flatten();
    let player = || -> Result<()> {
        while let Some((book, seed, how)) = next() {
            let ran = play(quorate, &book, seed, &how)?;
            let mut result = lock(&result);
            result.0 &= ran.succeeded;
            result.1 += ran.tally;
        }
        Ok(())
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let players: Vec<_> = (0..count).map(|_| scope.spawn(player)).collect();
        players
            .into_iter()
            .try_for_each(|player| match player.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })?;
    let (holds, tally) = *lock(&result);
    Ok(if holds {
        Outcome::Passed(tally)
    } else {
        Outcome::Failed(tally)
    })
}

/// What a lock guards, also after somebody broke while holding it: that one's panic is told anyway.
fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is played of a rulebook: seeds with what to do.
fn games(share: Share, long: bool) -> Vec<(u32, Vec<String>)> {
    let what = |name: &str, count: u32| vec![format!("--{name}"), count.to_string()];
    let without = |steps: u32| {
        let mut how = what("steps", steps);
        how.extend(["--without".to_owned(), "each".to_owned()]);
        how
    };
    let (proved, amended, left) = if long {
        (LONG.seeds, AMENDED_LONG, 1)
    } else {
        (1, 1, 0)
    };
    let seeds = |count: u32, how: Vec<String>| (0..count).map(move |seed| (seed, how.clone()));
    let mut plain = what("steps", share.steps);
    // In the long form a worker judges all of it again.
    plain.extend(long.then(|| "--in-workers".to_owned()));
    seeds(share.seeds, plain)
        .chain(seeds(proved, what("forecasts", FORECASTS)))
        .chain(seeds(amended, what("amendments", AMENDMENTS)))
        .chain(seeds(left, without(WITHOUT_STEPS)))
        .collect()
}

fn share(book: &str, long: bool) -> Share {
    let own = SHARES
        .iter()
        .find(|(name, _)| *name == book)
        .map_or(OTHERS, |(_, share)| *share);
    if long { LONG } else { own }
}

fn play(quorate: &Path, book: &str, seed: u32, how: &[String]) -> Result<Ran> {
    let path = format!("rulebooks/{book}");
    let mut arguments = vec!["--seed".to_owned(), seed.to_string()];
    arguments.extend_from_slice(how);
    let ran = tests(
        Command::new(quorate)
            .args(["simulate", &path])
            .args(&arguments),
    )?;
    if !ran.succeeded {
        println!(
            "again with: cargo run -- simulate {path} {}",
            arguments.join(" ")
        );
    }
    Ok(ran)
}
