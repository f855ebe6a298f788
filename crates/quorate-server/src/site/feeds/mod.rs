//! What readers fetch themselves: feeds of a game, and one's own feed and calendar.

pub mod game;
pub mod own;
