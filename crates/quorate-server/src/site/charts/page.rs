//! Charts of a game.

use askama::Template;

use crate::ui::urls::Href;
use crate::ui::{Chart, Chrome, Field};

/// Charts.
#[derive(Clone, Debug, Template)]
#[template(path = "site/charts/charts.html")]
pub struct Charts {
    /// Around it.
    pub chrome: Chrome,
    /// This page.
    pub here: Href,
    /// The choice of a tracked value and of its owner.
    pub pick: Vec<Field>,
    /// What is shown.
    pub charts: Vec<Chart>,
}
