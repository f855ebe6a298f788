//! The API as a page for people, made of the document that programs read.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
