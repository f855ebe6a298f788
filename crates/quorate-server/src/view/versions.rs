//! A rule’s versions, newest first.

use quorate_kernel::Name;
use quorate_kernel::event::Event;
use quorate_kernel::law::Rule;
use quorate_kernel::state::Effect;

use crate::app::error::AppError;
use crate::view::game::GameView;

/// A version of a rule: the event that made it, and the text from then on; none where it was repealed.
pub(crate) struct Version {
    /// The event.
    pub event: Event,
    /// The rule before it.
    pub before: Option<Rule>,
    /// The rule from then on.
    pub after: Option<Rule>,
}

/// All versions, newest first. Each names the event that changed the rule before it, so the log is not searched.
pub(crate) async fn versions(view: &GameView, id: &Name) -> Result<Vec<Version>, AppError> {
    let mut versions = Vec::new();
    let mut next = view.state().rules.get(id).map(|rule| rule.changed_by);
    while let Some(seq) = next {
        let Some(event) = view
            .site
            .events(&view.game, &[seq])
            .await?
            .into_iter()
            .next()
        else {
            break;
        };
        let mut changes = event.steps.iter().filter_map(|step| match &step.effect {
            Effect::Rule { key, old, new } if key == id => Some((old.clone(), new.clone())),
            _ => None,
        });
        let Some((before, first)) = changes.next() else {
            break;
        };
        let after = changes.next_back().map_or(first, |(_, last)| last);
        next = before
            .as_ref()
            .map(|rule| rule.changed_by)
            .filter(|earlier| *earlier < seq);
        versions.push(Version {
            event,
            before,
            after,
        });
    }
    Ok(versions)
}
