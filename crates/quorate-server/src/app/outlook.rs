//! What is said of an open matter, as it is kept while it holds.

use quorate_kernel::{Moment, Name, PostId};

/// What is said of an open matter, and how long that holds while nothing happens.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    /// The verdict without a full stop: "Can be enacted now; nothing that is still out can stop it".
    pub(crate) lead: String,
    /// The matter that has to be closed first.
    pub(crate) ahead: Option<PostId>,
    /// What it rests on, in sentences; may be empty.
    pub(crate) why: String,
    /// The icons that the reader may vote with.
    pub(crate) sides: Vec<Name>,
    /// When it was worked out.
    pub(crate) from: Option<Moment>,
    /// The first moment at which the law's answers may be others.
    pub(crate) until: Option<Moment>,
}

impl Outlook {
    /// Whether it holds at a moment.
    pub(crate) fn holds(&self, now: Moment) -> bool {
        self.from.is_some_and(|from| from <= now) && self.until.is_none_or(|until| now < until)
    }
}
