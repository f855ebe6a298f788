//! How long a worker is waited for, and how long it has had a processor meanwhile.

use std::time::Duration;

/// How often a job gets as long again whose worker had no processor for three quarters of its time.
const LONGER_MAX: u32 = 4;

/// How long a worker is waited for: so long by the clock, and up to five times as long where the machine is too busy to give it a
/// processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    time: Duration,
    /// How long it had had a processor when it was looked at first.
    before: Duration,
    /// How much of its time was left then.
    measured: Duration,
    /// How often it got longer.
    longer: u32,
}

impl Patience {
    /// With a worker that had had a processor for `before` when it began.
    pub(crate) fn of(time: Duration, before: Duration) -> Self {
        Self {
            time,
            before,
            measured: time,
            longer: 0,
        }
    }

    /// It had had a processor for `worked` when so much of its time was left.
    pub(crate) fn measures(&mut self, worked: Duration, left: Duration) {
        (self.before, self.measured) = (worked, left);
    }

    /// How much longer it is waited for, its time being over by the clock and `now` being how long it has had a processor; nothing
    /// where it had one for nearly all of its time, or the system does not tell.
    pub(crate) fn longer(&mut self, now: Option<Duration>) -> Option<Duration> {
        let worked = now?.saturating_sub(self.before);
        let is_kept_waiting = !is_most_of(worked, self.measured) && self.longer < LONGER_MAX;
        is_kept_waiting.then(|| {
            self.longer += 1;
            self.time
        })
    }
}

/// Whether a worker had a processor for nearly all of its time, so that nobody else is why it took so long.
pub(crate) fn is_most_of(worked: Duration, time: Duration) -> bool {
    worked >= time / 4 * 3
}

pub(crate) use system::worked;

#[cfg(target_os = "linux")]
mod system {
    use std::time::Duration;

    /// How long a tick of the system's own counts is: a hundredth of a second, on every machine that we know.
    const TICK: Duration = Duration::from_millis(10);

    /// What the system says of a process that was stopped by a signal.
    const HELD: char = 'T';

    /// How long a process has had a processor; none where that is not told, and for one that somebody holds.
    pub(crate) fn worked(id: u32) -> Option<Duration> {
        let line = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in brackets may hold anything. After it stands what it is at, and the twelfth and thirteenth word count ticks.
        let (_, rest) = line.rsplit_once(") ")?;
        if rest.starts_with(HELD) {
            return None;
        }
        let mut ticks = rest.split(' ').skip(11).map(str::parse::<u32>);
        let (own, of_system) = (ticks.next()?.ok()?, ticks.next()?.ok()?);
        Some(TICK * own.saturating_add(of_system))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::time::Duration;

    /// How long a process has had a processor: nobody knows here.
    pub(crate) fn worked(_: u32) -> Option<Duration> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_gets_longer_while_it_has_no_processor() {
        let [second, tenth] = [1_000, 100].map(Duration::from_millis);
        let before = Duration::from_secs(7);
        let mut patience = Patience::of(second, before);
        for nth in 1..=LONGER_MAX {
            assert_eq!(patience.longer(Some(before + tenth * nth)), Some(second));
        }
        let why = "not for ever";
        assert_eq!(patience.longer(Some(before + tenth)), None, "{why}");
    }

    #[test]
    fn a_worker_that_had_a_processor_gets_no_longer() {
        let [second, most, quarter] = [1_000, 750, 250].map(Duration::from_millis);
        let mut patience = Patience::of(second, Duration::ZERO);
        assert_eq!(patience.longer(Some(most)), None);
        assert_eq!(patience.longer(None), None, "nobody knows whether it had");
        patience.measures(Duration::ZERO, quarter);
        let little = quarter / 4 * 3;
        assert_eq!(patience.longer(Some(little)), None, "of what was left");
    }
}
