//! A clock that is set by hand.

use quorate_kernel::{Moment, Span};
use tokio::sync::watch;

use crate::ports::{TimeSource, Wait};

/// A clock that shows what it was last set to.
#[derive(Debug)]
pub struct HandClock(watch::Sender<Moment>);

impl HandClock {
    /// A clock that shows a moment.
    pub fn at(moment: Moment) -> Self {
        Self(watch::Sender::new(moment))
    }

    /// Sets the clock, to an earlier moment too.
    pub fn set(&self, moment: Moment) {
        self.0.send_replace(moment);
    }

    /// Sets the clock forward.
    pub fn pass(&self, span: Span) {
        self.0.send_modify(|now| *now = *now + span);
    }
}

impl TimeSource for HandClock {
    fn now(&self) -> Moment {
        *self.0.borrow()
    }

    fn until(&self, moment: Moment) -> Wait<'_> {
        let mut shown = self.0.subscribe();
        Box::pin(async move {
            // The clock cannot go while somebody holds it to wait.
            drop(shown.wait_for(|now| *now >= moment).await);
        })
    }
}
