//! Pages that the law declares, and texts that play writes.

pub mod handler;
pub mod page;
pub mod places;
#[cfg(test)]
pub mod sample;
pub mod tree;
