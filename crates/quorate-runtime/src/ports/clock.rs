//! The one place where time enters.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use quorate_kernel::Moment;

/// A wait for a moment.
pub type Wait<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A clock.
pub trait TimeSource: Send + Sync {
    /// What the clock says, in milliseconds of UTC. May go backwards, as clocks of machines do.
    fn now(&self) -> Moment;

    /// Ends when the clock says this moment or a later one.
    fn until(&self, moment: Moment) -> Wait<'_>;
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
        Box::pin(async move {
            loop {
                let left_ms = u64::try_from((moment - self.now()).0).unwrap_or(0);
                if left_ms == 0 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(left_ms.min(TRUST_MS))).await;
            }
        })
    }
}
