//! The law and the past: ruleset, histories, search, log, dynasties, charts, feed.

pub(crate) mod charts;
mod dice;
pub(crate) mod dynasties;
pub(crate) mod event;
pub(crate) mod feed;
pub(crate) mod log;
pub(crate) mod ruleset;
pub(crate) mod search;
pub(crate) mod source;
pub(crate) mod versions;
