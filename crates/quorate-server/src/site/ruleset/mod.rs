//! The law: as it is and was, a rule’s versions, two moments side by side.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
pub mod source;
pub mod versions;
