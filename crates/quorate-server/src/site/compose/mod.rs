//! Writing a post, and editing one.

pub mod asked;
mod choices;
mod doing;
pub mod draft;
pub mod handler;
pub mod kept;
pub mod page;
mod pick;
pub mod refused;
#[cfg(test)]
pub mod sample;
