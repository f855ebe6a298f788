//! Which code of a law runs right now, told to whoever listens: a process that is ended because its time is over can have
//! said what it was at. Nothing that is judged depends on it.

use std::sync::OnceLock;

use quorate_kernel::digest::Digest;

use crate::stop::Site;

/// What is told. What begins inside something else ends before it, each thread for itself.
#[derive(Clone, Copy, Debug)]
pub enum RunNotice<'a> {
    /// Code begins to run.
    Begins(RunningCode<'a>),
    /// What began last on this thread has ended.
    Ends,
}

/// Which code.
#[derive(Clone, Copy, Debug)]
pub struct RunningCode<'a> {
    /// The version of the law that it belongs to; none for one-off code and for a law that is being compiled.
    pub law: Option<Digest>,
    /// Where the function stands, if it is one of the law's.
    pub at: Option<&'a Site>,
    /// The rule that asks for it.
    pub asks: &'a Site,
}

/// Whoever listens.
pub type RunListener = Box<dyn Fn(RunNotice<'_>) + Send + Sync>;

static LISTENER: OnceLock<RunListener> = OnceLock::new();

/// Has the runs of this process told from now on. False where somebody listens already, who goes on.
#[must_use]
pub fn listen(listener: RunListener) -> bool {
    LISTENER.set(listener).is_ok()
}

/// Tells that a run has ended when it is dropped.
pub(crate) struct ListenerTold(&'static RunListener);

impl Drop for ListenerTold {
    fn drop(&mut self) {
        (self.0)(RunNotice::Ends);
    }
}

/// Tells that code begins to run.
pub(crate) fn begins(place: RunningCode<'_>) -> Option<ListenerTold> {
    let listener = LISTENER.get()?;
    listener(RunNotice::Begins(place));
    Some(ListenerTold(listener))
}
