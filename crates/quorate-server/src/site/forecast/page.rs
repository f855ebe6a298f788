//! What a proposal would do, whole.

use askama::Template;

use crate::ui::{Change, Chrome, EffectGroup, Link};

/// All that a proposal would do.
#[derive(Clone, Debug, Template)]
#[template(path = "site/forecast/forecast.html")]
pub struct EffectsPage {
    /// Around it.
    pub chrome: Chrome,
    /// The proposal.
    pub post: Link,
    /// "tried on a copy of the game at 16:40 UTC".
    pub note: String,
    /// Alone, for each player, in the queue, whether the game can still change itself.
    pub groups: Vec<EffectGroup>,
    /// What it changes, clause by clause.
    pub changes: Vec<Change>,
}
