//! Effects: what an event changed, each row with what it was and what it became.

use crate::name::Name;

pub use crate::state::Effect;

/// One change of an event, and how and by which clause it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What changed.
    pub effect: Effect,
    /// How: it decides what an undo does where the row has moved on since.
    pub way: Way,
    /// The rule whose code did it; empty where the kernel did.
    pub rule: Name,
    /// The clause of that rule.
    pub clause: u32,
}

/// How a value was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Way {
    /// It was set: an undo puts the old one back, if the new one still stands.
    #[default]
    Set,
    /// So much was added or taken away: an undo takes as much away or adds it.
    Add,
    /// Something was put into a list: an undo takes it out.
    Put,
    /// Something was taken out of a list: an undo puts it in.
    Take,
}
