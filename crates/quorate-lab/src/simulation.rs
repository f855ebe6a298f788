//! Simulation: random play against a judge, with what must hold looked at after every step.

pub mod amendments;
mod closing;
mod commands;
pub mod forecasts;
mod game;
mod invariants;
mod known;
mod patches;
mod posts;
#[cfg(test)]
mod tiny_book;
mod values;
mod waiting;
pub mod ways;
pub mod without;

use std::panic::{AssertUnwindSafe, catch_unwind};

use quorate_engine::rulebook::Rulebook;
use quorate_runtime::in_process;
use quorate_runtime::judge::Judges;

use game::SimulatedGame;
pub use game::{SimulationFailure, SimulationTally};

/// After how many steps at least it is looked at whether all matters that are open would close, and how often in a game at most: a
/// look plays three months.
const CLOSED_EVERY: u64 = 100;
const LOOKS_MAX: u64 = 25;

/// For one in so many of the steps, the first ones, nobody changes the rules: whether matters close is looked at of those that the
/// game was founded with.
const KEEPS_LAW: u64 = 4;

/// Once this part of the steps is over (half of them), matters are closed in the game itself after each look.
const GOES_ON: u64 = 2;

/// Plays one seed, and tells `progress` of each step. Where there is another host of the law, it has to judge the whole log alike.
///
/// # Errors
/// Fails where the game does not begin, at the first step after which something does not hold, and where the engine
/// panics.
pub fn play(
    book: &Rulebook,
    seed: u64,
    steps: u64,
    other: Option<&dyn Judges>,
    progress: &dyn Fn(u64),
) -> Result<SimulationTally, SimulationFailure> {
    let mut game = SimulatedGame::begin(book, seed)?;
    let closed_every = CLOSED_EVERY.max(steps / LOOKS_MAX);
    for number in 1..=steps {
        game.keeps_law = number <= steps / KEEPS_LAW;
        guarded(|| step(&mut game)).map_err(|what| game.failure(number, what))?;
        game.tally.steps = number;
        if number % closed_every == 0 || number == steps {
            guarded(|| game.all_close()).map_err(|what| game.failure(number, what))?;
            if number > steps / GOES_ON {
                guarded(|| game.go_on()).map_err(|what| game.failure(number, what))?;
            }
        }
        progress(number);
    }
    let ended = guarded(|| invariants::whole(&game.judge, &game.laws, &game.events));
    ended.map_err(|what| game.failure(steps + 1, what))?;
    if let Some(other) = other {
        let alike = in_process::judged_again(other, &game.events, &invariants::SECRET);
        alike.map_err(|what| game.failure(steps + 1, format!("by the other host: {what}")))?;
    }
    Ok(game.tally)
}

/// Does something; a panic in it is an error like any other.
fn guarded<T>(does: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let done = catch_unwind(AssertUnwindSafe(does));
    done.unwrap_or_else(|panic| Err(panic_message(&*panic)))
}

/// One step: time passes, what is due happens, and somebody tries something.
fn step(game: &mut SimulatedGame) -> Result<(), String> {
    game.now = game.now + game.passes();
    game.run_due()?;
    let (actor, act) = game.next_command();
    game.send(actor, act)?;
    Ok(())
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "a panic: {}",
        text.unwrap_or_else(|| "it said nothing".to_owned())
    )
}
