//! Dynasties in short.

use quorate_kernel::rows::Dynasty;
use quorate_kernel::{EventSeq, Moment};

use crate::ui::{Link, plural, urls};
use crate::view::game::GameView;

/// A dynasty in the list.
#[derive(Clone, Debug)]
pub struct DynastyLine {
    /// Its page.
    pub to: Link,
    /// "38 days, 61 proposals".
    pub about: String,
    /// How it ended, or that it runs.
    pub ending: String,
}

/// A dynasty's title, and in a sentence how long it was and how it ended.
pub(crate) fn in_short(view: &GameView, number: u32, dynasty: &Dynasty) -> (String, String) {
    let line = line(view, number, dynasty);
    (line.to.title, format!("{}; {}.", line.about, line.ending))
}

/// The moment and the event before which a dynasty ended; none for the one that runs.
pub(crate) fn end(view: &GameView, number: u32) -> Option<(Moment, EventSeq)> {
    let next = view.state().dynasties.get(&(number + 1))?;
    Some((next.at, EventSeq(next.event.0.saturating_sub(1))))
}

pub(crate) fn title(view: &GameView, number: u32, dynasty: &Dynasty) -> String {
    let theme = dynasty.title.as_str();
    match (dynasty.leader, theme.is_empty()) {
        (_, false) => format!("Dynasty {number}: {theme}"),
        (Some(leader), true) => format!("Dynasty {number}, led by {}", view.name(leader)),
        (None, true) => format!("Dynasty {number}"),
    }
}

pub(crate) fn posts_in(view: &GameView, from: Moment, to: Moment) -> usize {
    let posts = view.state().posts.values();
    posts
        .filter(|post| post.at >= from && post.at < to && view.sight().post(post))
        .count()
}

pub(crate) fn line(view: &GameView, number: u32, dynasty: &Dynasty) -> DynastyLine {
    let word = number.to_string();
    let link = urls::Dynasty {
        game: view.game.as_str(),
        dynasty: &word,
    };
    let end = end(view, number);
    let until = end.map_or(view.now, |(at, _)| at);
    let days = usize::try_from((until - dynasty.at).0 / 86_400_000 + 1).unwrap_or(1);
    DynastyLine {
        to: Link::new(title(view, number, dynasty), link),
        about: format!(
            "{}, {}",
            plural(days, "day", "days"),
            plural(posts_in(view, dynasty.at, until), "post", "posts")
        ),
        ending: match end {
            Some((at, _)) => format!("ended {}", view.when(at).full()),
            None => "in progress".to_owned(),
        },
    }
}
