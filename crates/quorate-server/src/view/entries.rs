//! Posts in a list.

use quorate_kernel::PostId;

use crate::ui::markup::Markup;
use crate::ui::{Entry, plural, urls};
use crate::view::game::GameView;

/// How many letters of a text the front page shows.
const EXCERPT: usize = 420;

/// A post in a list, with its first words.
pub fn entry(look: &GameView, id: PostId) -> Option<Entry> {
    let post = look.post(id)?;
    let word = id.to_string();
    let body = crate::ui::markup::excerpt(post.body.as_str(), &look.terms, EXCERPT);
    Some(Entry {
        id: format!("post-{id}"),
        category: look.category_title(post),
        author: look.author(&post.author),
        when: look.when(post.at),
        comments: plural(post.comments as usize, "comment", "comments"),
        title: look.themed(post.title.as_str()),
        href: urls::Post {
            game: look.game.as_str(),
            post: &word,
        }
        .into(),
        excerpt: (!body.is_empty()).then(|| Markup::paragraph(&body)),
        verdict: look.verdict(id),
        fresh: look.fresh_of(id),
        quick: look.quick_vote(id, Some("list")),
        is_closed: post.closed_at.is_some(),
    })
}
