//! Posts in a list.

use quorate_kernel::PostId;

use crate::ui::markup::Markup;
use crate::ui::{Entry, plural, urls};
use crate::view::game::GameView;

/// How many letters of a text the front page shows.
const EXCERPT: usize = 420;

/// A post in a list, with its first words.
pub fn entry(view: &GameView, id: PostId) -> Option<Entry> {
    let post = view.post(id)?;
    let word = id.to_string();
    let body = crate::ui::markup::excerpt(post.body.as_str(), &view.terms, EXCERPT);
    Some(Entry {
        id: format!("post-{id}"),
        category: view.category_title(post),
        author: view.author(&post.author),
        when: view.when(post.at),
        comments: plural(post.comments as usize, "comment", "comments"),
        title: view.themed(post.title.as_str()),
        href: urls::Post {
            game: view.game.as_str(),
            post: &word,
        }
        .into(),
        excerpt: (!body.is_empty()).then(|| Markup::paragraph(&body)),
        verdict: view.verdict(id),
        fresh: view.fresh_of(id),
        quick: view.quick_vote(id, Some("list")),
        is_closed: post.closed_at.is_some(),
    })
}
