//! How a play is kept.

use quorate_kernel::{Moment, Span};

/// How a play is kept.
#[derive(Clone, Copy, Debug)]
pub struct Recording {
    /// What the dice follow from, where none are dictated.
    pub secret: [u8; 32],
    /// How much later than written everything happens.
    pub later: Span,
    /// The present: the play is cut here.
    pub until: Moment,
}

impl Recording {
    /// As it was written, to its end.
    pub(super) const PLAIN: Self = Self {
        secret: [7; 32],
        later: Span(0),
        until: Moment(i64::MAX),
    };
}
