//! Ever new laws take no more memory than their cache may, as the system counts it.
#![cfg(target_os = "linux")]

#[path = "../src/law/one_rule.rs"]
mod one_rule;

use std::fmt::Write as _;

use one_rule::one_rule;
use quorate_engine::LawCache;
use quorate_kernel::state::State;

/// How many functions a law has.
const FUNCTIONS: usize = 60;

/// How many laws come before it is looked how much memory there is, and how many after.
const BEFORE: usize = 60;
const AFTER: usize = 200;

/// How much memory this process has, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the system tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.and_then(|kib| kib.parse::<usize>().ok())
        .expect("a number")
        << 10
}

/// A game's state under a law of its own.
fn state(nth: usize) -> State {
    let mut code = format!("N = {nth}\n");
    for function in 0..FUNCTIONS {
        let _ = write!(
            code,
            "def tea_{function}(cups: int) -> int:\n    return cups * {function} + N\n"
        );
    }
    one_rule(&code)
}

/// By how much memory grows while ever new laws are compiled, after it had time to fill a cache; and what the cache says.
fn growth(laws: &LawCache) -> (usize, usize) {
    let compile = |nth| {
        let law = laws.law(&state(nth));
        assert!(law.asleep.is_empty(), "{:?}", law.asleep);
    };
    (0..BEFORE).for_each(compile);
    let (before, counted) = (resident(), laws.bytes());
    (BEFORE..BEFORE + AFTER).for_each(compile);
    let grown = resident().saturating_sub(before);
    (grown, laws.bytes().saturating_sub(counted))
}

#[test]
fn ever_new_laws_take_no_more_memory_than_their_cache_may() {
    let bound = 4 << 20;
    let (bounded, counted) = growth(&LawCache::of_bytes(bound));
    assert!(counted < bound, "{counted} bytes counted");
    assert!(bounded < bound, "{bounded} bytes more");
    // All of them would take a multiple of that, and the cache counts about what they take.
    let (all, counted) = growth(&LawCache::of_bytes(1 << 30));
    assert!(all > 2 * bound, "{all} bytes");
    eprintln!("{counted} of {all} are counted");
    assert!(
        counted > all / 4 * 3 && counted < all / 4 * 5,
        "{counted} of {all} are counted"
    );
}
