//! Pictures that people uploaded.

pub mod handler;
pub mod upload;
