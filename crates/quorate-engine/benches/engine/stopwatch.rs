//! The one place that looks at a stopwatch.
#![allow(dead_code, reason = "each benchmark uses a part of it")]

use std::time::{Duration, Instant};

/// How long something takes.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = now();
    let done = work();
    (done, now() - start)
}

/// The middle one of so many runs.
pub(crate) fn median(run_count: usize, mut work: impl FnMut(usize)) -> Duration {
    let mut times: Vec<Duration> = (0..run_count).map(|run| time(|| work(run)).1).collect();
    times.sort_unstable();
    times[run_count / 2]
}

/// How many times longer one takes than the other.
pub(crate) fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(1e-9)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has to look at a stopwatch"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
