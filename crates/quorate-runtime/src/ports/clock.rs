//! The one place where time enters.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_kernel::{Moment, Span};

/// A wait for a moment.
pub type Wait<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A clock.
pub trait TimeSource: Send + Sync {
    /// What the clock says, in milliseconds of UTC. May go backwards, as clocks of machines do.
    fn now(&self) -> Moment;

    /// Ends when the clock says this moment or a later one.
    fn until(&self, moment: Moment) -> Wait<'_>;

    /// Whether the clock follows the machine's.
    fn standing(&self) -> ClockStanding {
        ClockStanding::Even
    }

    /// Follows the machine's clock from now on, wherever it has jumped to.
    fn trust(&self) {}

    /// Hears how far the machine's clock is ahead of that of whoever this one works for.
    fn hear(&self, _off: Span) {}
}

/// Whether a clock follows the machine's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockStanding {
    /// It does.
    Even,
    /// The machine's has jumped ahead by so much, and this one goes on as before until somebody says that it is right.
    Ahead(Span),
    /// The machine's was set back by so much, and this one goes on as before.
    Behind(Span),
}

impl ClockStanding {
    /// How far the machine's clock is ahead of this one.
    pub fn off(self) -> Span {
        match self {
            Self::Even => Span(0),
            Self::Ahead(span) => span,
            Self::Behind(span) => Span(-span.0),
        }
    }
}

/// The clock of a process that works for another one of this machine: as far from the machine's as that one's.
#[derive(Debug, Default)]
pub struct DistantClock(AtomicI64);

impl TimeSource for DistantClock {
    fn now(&self) -> Moment {
        Moment(
            SystemClock
                .now()
                .0
                .saturating_sub(self.0.load(Ordering::Relaxed)),
        )
    }

    fn until(&self, moment: Moment) -> Wait<'_> {
        until(self, moment)
    }

    fn hear(&self, off: Span) {
        self.0.store(off.0, Ordering::Relaxed);
    }
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// How long the machine's clock is trusted to run on evenly. After that it is read again, for it may have been set.
const TRUST_MS: u64 = 30_000;

impl TimeSource for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the runtime's clock: the one place that reads the machine's"
    )]
    fn now(&self) -> Moment {
        let since_1970 = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Moment(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    fn until(&self, moment: Moment) -> Wait<'_> {
        until(self, moment)
    }
}

/// Waits until a clock of this machine says a moment.
fn until(clock: &impl TimeSource, moment: Moment) -> Wait<'_> {
    Box::pin(async move {
        loop {
            let left_ms = u64::try_from((moment - clock.now()).0).unwrap_or(0);
            if left_ms == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(left_ms.min(TRUST_MS))).await;
        }
    })
}

/// How far the machine's clock may jump ahead while the server runs.
const AHEAD_MAX: Span = Span::hours(1);

/// How far it may be set back.
const BEHIND_MAX: Span = Span::minutes(5);

/// How long a server may have been down without anybody being asked whether that is so.
const DOWN_MAX: Span = Span::days(365);

/// What the machine's clocks say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockReading {
    /// What time it is. Somebody may set this.
    pub wall: Moment,
    /// How long the machine has been up, asleep or not. Nobody sets that.
    pub up: Span,
}

/// A clock that follows the machine's, but not where that jumps: from there it goes on evenly, until the machine's comes back
/// or somebody says that it is right. Otherwise a wrong clock would have all that is due for a century happen in a moment,
/// and no event could ever be stamped earlier again.
pub struct SteadyClock {
    read: Box<dyn Fn() -> ClockReading + Send + Sync>,
    anchor: Mutex<Anchor>,
}

/// Where the clock was last known to be right.
#[derive(Clone, Copy)]
struct Anchor {
    at: Moment,
    up: Span,
    standing: ClockStanding,
}

impl SteadyClock {
    /// Over the machine's clocks. `last` is when the server was last known to be up.
    pub fn over(read: Box<dyn Fn() -> ClockReading + Send + Sync>, last: Option<Moment>) -> Self {
        let reading = read();
        let is_odd = |last: &Moment| {
            let gone = reading.wall - *last;
            gone > DOWN_MAX || gone < Span(-BEHIND_MAX.0)
        };
        let anchor = Anchor {
            at: last.filter(is_odd).unwrap_or(reading.wall),
            up: reading.up,
            standing: ClockStanding::Even,
        };
        let clock = Self {
            read,
            anchor: Mutex::new(anchor),
        };
        clock.now();
        clock
    }

    /// The same over the clocks of this machine.
    pub fn of_machine(last: Option<Moment>) -> Self {
        let read = || ClockReading {
            wall: SystemClock.now(),
            up: up(),
        };
        Self::over(Box::new(read), last)
    }

    fn anchor(&self) -> MutexGuard<'_, Anchor> {
        self.anchor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long the machine has been up, the time in which it slept included: a machine that wakes up has not jumped.
fn up() -> Span {
    let up = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Span(
        up.tv_sec
            .saturating_mul(1_000)
            .saturating_add(up.tv_nsec / 1_000_000),
    )
}

impl TimeSource for SteadyClock {
    fn now(&self) -> Moment {
        let reading = (self.read)();
        let mut anchor = self.anchor();
        let even = anchor.at + Span(reading.up.0 - anchor.up.0);
        let off = reading.wall - even;
        let standing = if off > AHEAD_MAX {
            ClockStanding::Ahead(off)
        } else if off < Span(-BEHIND_MAX.0) {
            ClockStanding::Behind(Span(-off.0))
        } else {
            ClockStanding::Even
        };
        let is_even = standing == ClockStanding::Even;
        match (is_even, anchor.standing == ClockStanding::Even) {
            (false, true) => tracing::error!(
                ?standing, machine = %reading.wall, games = %even,
                "the machine's clock jumped; games go on by the time before: set the clock right, or tell the panel that it is"
            ),
            (true, false) => tracing::warn!("the machine's clock is followed again"),
            _ => {}
        }
        anchor.standing = standing;
        if !is_even {
            return even;
        }
        (anchor.at, anchor.up) = (reading.wall, reading.up);
        reading.wall
    }

    fn until(&self, moment: Moment) -> Wait<'_> {
        until(self, moment)
    }

    fn standing(&self) -> ClockStanding {
        self.now();
        self.anchor().standing
    }

    fn trust(&self) {
        let reading = (self.read)();
        let mut anchor = self.anchor();
        *anchor = Anchor {
            at: reading.wall,
            up: reading.up,
            standing: ClockStanding::Even,
        };
        tracing::warn!(machine = %reading.wall, "the machine's clock is trusted from now on");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A machine whose clocks are set by hand.
    #[derive(Clone, Default)]
    struct Machine {
        wall: Arc<AtomicI64>,
        up: Arc<AtomicI64>,
    }

    impl Machine {
        fn clock(&self, last: Option<Moment>) -> SteadyClock {
            let machine = self.clone();
            let read = move || ClockReading {
                wall: Moment(machine.wall.load(Ordering::Relaxed)),
                up: Span(machine.up.load(Ordering::Relaxed)),
            };
            SteadyClock::over(Box::new(read), last)
        }

        /// Time passes.
        fn pass(&self, span: Span) {
            self.wall.fetch_add(span.0, Ordering::Relaxed);
            self.up.fetch_add(span.0, Ordering::Relaxed);
        }

        /// Somebody sets the clock, or a battery is empty.
        fn jump(&self, span: Span) {
            self.wall.fetch_add(span.0, Ordering::Relaxed);
        }
    }

    fn day(days: i64) -> Moment {
        Moment(0) + Span::days(days)
    }

    #[test]
    fn time_that_passes_is_followed_and_so_are_small_corrections() {
        let machine = Machine::default();
        let clock = machine.clock(None);
        for span in [Span(1), Span::days(3), Span::days(400)] {
            machine.pass(span);
            assert_eq!(clock.now(), Moment(machine.wall.load(Ordering::Relaxed)));
        }
        for correction in [
            Span(-1_000),
            Span::minutes(30),
            Span(-BEHIND_MAX.0),
            AHEAD_MAX,
        ] {
            machine.jump(correction);
            assert_eq!(clock.now(), Moment(machine.wall.load(Ordering::Relaxed)));
            assert_eq!(clock.standing(), ClockStanding::Even);
        }
    }

    #[test]
    fn a_jump_ahead_is_not_followed_until_somebody_says_so() {
        for jump in [Span::days(1), Span::days(36_500)] {
            let machine = Machine::default();
            let clock = machine.clock(None);
            machine.pass(Span::days(1));
            assert_eq!(clock.now(), day(1));
            machine.jump(jump);
            assert_eq!(clock.now(), day(1));
            machine.pass(Span::days(1));
            assert_eq!(clock.now(), day(2), "time goes on");
            assert_eq!(clock.standing(), ClockStanding::Ahead(jump));
            clock.trust();
            assert_eq!(clock.now(), day(2) + jump);
            assert_eq!(clock.standing(), ClockStanding::Even);
        }
    }

    #[test]
    fn a_worker_s_clock_is_as_far_from_the_machine_s_as_the_server_s() {
        let clock = DistantClock::default();
        for off in [
            ClockStanding::Ahead(day(400) - day(0)),
            ClockStanding::Behind(Span::days(2)),
        ] {
            clock.hear(off.off());
            let told = clock.now();
            let gone = (SystemClock.now() - told).0 - off.off().0;
            assert!((0..60_000).contains(&gone), "{off:?}: {gone}");
        }
    }

    #[test]
    fn a_clock_that_comes_back_is_followed_again_by_itself() {
        for jump in [
            Span::days(1),
            Span::days(36_500),
            Span::days(-1),
            Span::days(-9_999),
        ] {
            let machine = Machine::default();
            let clock = machine.clock(None);
            machine.pass(Span::days(1));
            clock.now();
            machine.jump(jump);
            machine.pass(Span::days(1));
            assert_eq!(clock.now(), day(2), "{jump:?}");
            assert_ne!(clock.standing(), ClockStanding::Even);
            machine.jump(Span(-jump.0));
            assert_eq!(clock.now(), day(2));
            assert_eq!(clock.standing(), ClockStanding::Even);
        }
    }

    #[test]
    fn at_the_start_the_clock_is_held_against_when_the_server_was_last_up() {
        let machine = Machine::default();
        machine.jump(Span::days(1_000));
        for (last, standing, now) in [
            (Some(day(999)), ClockStanding::Even, day(1_000)),
            (Some(day(700)), ClockStanding::Even, day(1_000)),
            (
                Some(day(10)),
                ClockStanding::Ahead(Span::days(990)),
                day(10),
            ),
            (
                Some(day(1_001)),
                ClockStanding::Behind(Span::days(1)),
                day(1_001),
            ),
            (None, ClockStanding::Even, day(1_000)),
        ] {
            let clock = machine.clock(last);
            assert_eq!((clock.standing(), clock.now()), (standing, now), "{last:?}");
        }
    }
}
