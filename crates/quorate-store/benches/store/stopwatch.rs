//! The one place that looks at a stopwatch.

use std::time::{Duration, Instant};

/// How long something takes.
pub(crate) async fn time<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let start = now();
    let done = work.await;
    (done, now() - start)
}

/// The middle one of so many runs.
pub(crate) async fn median(run_count: usize, mut work: impl AsyncFnMut(usize)) -> Duration {
    let mut times = Vec::new();
    for run in 0..run_count {
        times.push(time(work(run)).await.1);
    }
    times.sort_unstable();
    times[run_count / 2]
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has to look at a stopwatch"
)]
fn now() -> Instant {
    Instant::now()
}
