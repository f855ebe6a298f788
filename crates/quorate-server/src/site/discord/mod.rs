//! Playing from Discord, by commands, buttons, menus and forms.

pub mod handler;
mod moves;
mod press;
mod waiting;
