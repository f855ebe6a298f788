//! Pictures that people uploaded.

pub mod handler;
