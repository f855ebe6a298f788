//! How long sessions last, and which were used lately.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use quorate_kernel::digest::Digest;
use quorate_kernel::{Moment, Span};

/// How long a session lasts that is not used.
pub const SESSION_IDLE: Span = Span::days(30);

/// How long a session lasts at most.
pub const SESSION_MAX: Span = Span::days(180);

/// How often the use of a session is noted.
const NOTED_EVERY: Span = Span::hours(1);

/// How many sessions are remembered for that.
const NOTED_MAX: usize = 10_000;

/// Sessions whose use was noted lately.
#[derive(Default)]
pub struct NotedUses(Mutex<HashMap<Digest, Moment>>);

impl NotedUses {
    /// Whether the use of a session is to be noted now. It is not again for an hour.
    pub fn is_due(&self, session: Digest, now: Moment) -> bool {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |at: &Moment| *at <= now && now - *at < NOTED_EVERY;
        if noted.get(&session).is_some_and(is_fresh) {
            return false;
        }
        if noted.len() >= NOTED_MAX {
            noted.clear();
        }
        noted.insert(session, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_noted_once_an_hour() {
        let (uses, session) = (NotedUses::default(), Digest([1; 32]));
        assert!(uses.is_due(session, Moment(0)));
        assert!(!uses.is_due(session, Moment(0) + Span(NOTED_EVERY.0 - 1)));
        assert!(uses.is_due(session, Moment(0) + NOTED_EVERY));
        assert!(uses.is_due(Digest([2; 32]), Moment(0)));
    }
}
