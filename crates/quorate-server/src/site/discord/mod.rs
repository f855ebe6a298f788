//! Playing from Discord, by commands, buttons, menus and forms.

pub mod handler;
mod moves;
pub(crate) mod play;
mod press;
mod waiting;
