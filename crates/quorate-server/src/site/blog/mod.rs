//! A game’s front page: the blog, where the game stands, the feed.

pub mod handler;
pub mod page;
#[cfg(test)]
pub mod sample;
mod story;
