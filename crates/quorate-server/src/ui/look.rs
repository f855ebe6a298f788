//! What somebody should look at.

use super::{Form, Link, Status};

/// A line of a list of such things.
#[derive(Clone, Debug)]
pub struct LookLine {
    /// Claimed, disputed, asleep, failed; with the value where there is one: "Ilka, Brains 52 → 62".
    pub status: Status,
    /// What it is, why, and what becomes of it by itself.
    pub text: String,
    /// Where it is found.
    pub more: Option<Link>,
    /// What may be done: confirm, dispute, undo.
    pub forms: Vec<Form>,
}
