//! What is checked before anything runs.

pub(crate) mod cycles;
pub(crate) mod flow;
pub(crate) mod house;
pub(crate) mod names;
pub(crate) mod typing;
pub(crate) mod wording;
