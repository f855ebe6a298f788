//! What came of something that somebody did.

use crate::ui::chrome::Link;
use crate::ui::dice::Die;
use crate::ui::time::When;

/// How something ended that the reader did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// When.
    pub when: When,
    /// "Shove".
    pub what: String,
    /// Dice that fell in it.
    pub dice: Vec<Die>,
    /// "Pell onto F8. +1 Frag", "AP 3 → 2".
    pub text: String,
    /// The event, with its undo.
    pub event: Option<Link>,
}
