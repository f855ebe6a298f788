//! How long things take, beside what the machine takes for the least that must be done.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::scene::BenchScene;

/// What SQLite writes ahead for one vote: about six pages, each with a header of its own.
const SYNC_BYTES: usize = 6 * (4_096 + 24);

/// A file of as many bytes as a vote writes, synced.
pub(super) fn bare_sync(scene: &BenchScene) -> Result<Duration> {
    let mut file = std::fs::OpenOptions::new();
    let mut file = file
        .create(true)
        .append(true)
        .open(scene.folder().join("bare"))?;
    let bytes = vec![7; SYNC_BYTES];
    let start = now();
    file.write_all(&bytes)?;
    file.sync_data()?;
    Ok(now() - start)
}

/// The time within which so many of a hundred are.
pub(super) fn share(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get(last * percent / 100).copied().unwrap_or_default()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has to look at a stopwatch"
)]
pub(super) fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_a_hundred_is_the_time_of_that_rank() {
        let mut times: Vec<Duration> = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(share(&mut times, 50), Duration::from_millis(100));
        assert_eq!(share(&mut times, 99), Duration::from_millis(198));
        assert_eq!(share(&mut [], 99), Duration::ZERO);
    }
}
