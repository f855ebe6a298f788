//! What waits for somebody.

use super::{Form, Link, Status, When};

/// A line of a list of such things.
#[derive(Clone, Debug, Default)]
pub struct TodoLine {
    /// Claimed, disputed, asleep, failed; with the value where there is one: "Ilka, Brains 52 → 62".
    pub status: Option<Status>,
    /// Who waits; empty where nobody does.
    pub name: String,
    /// What it is, why, and what becomes of it by itself.
    pub text: String,
    /// Where it is found.
    pub more: Option<Link>,
    /// What may be done: confirm, dispute, undo.
    pub forms: Vec<Form>,
    /// When it becomes possible.
    pub due: Option<When>,
}
