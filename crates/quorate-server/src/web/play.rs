//! Pages of a game and the forms on them.

pub mod act;
pub mod compose;
pub mod effects;
pub mod front;
pub mod join;
pub mod post;
pub mod ruling;
