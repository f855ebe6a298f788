//! Pages, JSON API, live stream and sessions.
//!
//! **Invariant:** no rule of any game lives here. Pages render what the law declares; what may be done, and why not, comes
//! from the engine as data.

pub mod assets;
pub mod code;
pub mod markup;
pub mod pages;
pub mod parts;
pub mod posted;
mod samples;
pub mod security;
pub mod urls;
pub mod web;
