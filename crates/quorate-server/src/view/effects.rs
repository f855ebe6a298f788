//! What a proposal would do, in short.

use quorate_forecast::{Extent, Proposed};
use quorate_kernel::PostId;
use quorate_kernel::rows::Post;
use quorate_kernel::seal::Sealed;

use crate::ui::{Effect, EffectGroup, Effects, Link, urls};
use crate::view::game::GameView;
use crate::view::rulings;

/// What a proposal would do alone, for its page; none where it carries no changes.
pub(crate) fn in_short(view: &GameView, id: PostId, post: &Post) -> Option<Effects> {
    let Some(patch) = post.patch.as_ref().and_then(Sealed::plain) else {
        let is_idle = post.patch.is_none() && view.changes_rules(&post.category);
        return is_idle.then(|| Effects {
            note: String::new(),
            lines: nothing().lines,
            whole: None,
        });
    };
    let groups = view
        .forecast_groups(&Proposed::Post(id), Extent::Alone)
        .into_iter();
    // What is still needed stands beside the vote, on the same page.
    let groups = groups.filter(|group| group.id != "needs");
    let mut lines: Vec<Effect> = groups.flat_map(|group| group.lines).collect();
    let game = view.game().as_str();
    let word = id.to_string();
    if rulings::named(patch).is_some() {
        let to = urls::Ruling { game, post: &word };
        let line = Effect::new("It rules on what has happened:", "history is judged again.");
        lines.insert(0, line.to(Link::new("Both gamestates", to)));
    }
    Some(Effects {
        note: note(view),
        lines,
        whole: Some(urls::Effects { game, post: &word }.into()),
    })
}

/// Of a proposal that carries no changes, whatever its text describes.
pub(crate) fn nothing() -> EffectGroup {
    let line = Effect::new(
        "If enacted, no rule and no value changes.",
        "The text only describes a change. Add what it changes, or players have to apply it by hand.",
    );
    EffectGroup {
        id: "change".to_owned(),
        title: "What it would do".to_owned(),
        note: String::new(),
        lines: vec![line.alarm()],
        later: None,
    }
}

/// Where and when it was tried.
pub(crate) fn note(view: &GameView) -> String {
    format!(
        "tried on a copy of the game at {} UTC",
        view.when(view.now()).clock()
    )
}
