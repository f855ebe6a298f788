//! Invented games, people and texts that fill every page once, for tests and for looking at.
//!
//! A page's samples stand beside it. [`every_page`](crate::site::gallery) draws them all.

pub(crate) mod error_page;
pub(crate) mod form_page;
pub(crate) mod pieces;
pub(crate) mod world;

use askama::Template;

/// A page filled with invented data, under a name that says what is special about it.
pub(crate) struct Sample<P> {
    /// "stranger", "with an error".
    pub name: &'static str,
    /// The page.
    pub page: P,
}

/// Pages that bring samples of themselves.
pub(crate) trait Samples: Template + Sized {
    /// At least one; one for each shape that the page can take.
    fn samples() -> Vec<Sample<Self>>;
}
