//! Writing a post, and editing one.

pub mod asked;
mod catalogue;
mod choices;
mod doing;
pub mod draft;
mod edit;
pub mod handler;
pub mod kept;
pub mod page;
mod pick;
mod pieces;
pub mod refused;
#[cfg(test)]
pub mod sample;
