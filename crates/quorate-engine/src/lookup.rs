//! What people call players, posts, rules and categories, and what is found by it.

use quorate_kernel::ids::Id;
use quorate_kernel::state::State;
use quorate_kernel::{Name, PlayerId, PostId};

use crate::law::Law;
use crate::view::View;

/// How like two words must be for one to be offered for the other.
const LIKE: f64 = 0.8;

/// A player by name, whatever the case, or by number or address (`3`, `player:3`).
pub fn player(state: &State, word: &str) -> Option<PlayerId> {
    let named = |fits: &dyn Fn(&str) -> bool| {
        let mut people = state.people.iter();
        people
            .find(|(_, person)| fits(person.name.as_str()))
            .map(|(id, _)| *id)
    };
    let folded = word.to_lowercase();
    let number = || word.trim_start_matches("player:").parse().ok();
    named(&|name| name == word)
        .or_else(|| named(&|name| name.to_lowercase() == folded))
        .or_else(|| number().filter(|id| state.people.contains_key(id)))
}

/// A post that the reader may see, by number or address (`3`, `post:3`); `None` inside where there is no such post, and
/// `None` outside where the word is no number.
pub fn post_by_number(view: &View<'_>, word: &str) -> Option<Option<PostId>> {
    let id: PostId = word.trim_start_matches("post:").parse().ok()?;
    let post = view.state.posts.get(&id);
    Some(post.filter(|post| view.post(post)).map(|_| id))
}

/// The newest post of a title that the reader may see, whatever the case.
pub fn post_by_title(view: &View<'_>, title: &str) -> Option<PostId> {
    let wanted = title.to_lowercase();
    let mut posts = view.state.posts.iter().rev();
    let found =
        posts.find(|(_, post)| view.post(post) && post.title.as_str().to_lowercase() == wanted);
    found.map(|(id, _)| *id)
}

/// A rule by its code name, or by its title, whatever the case.
pub fn rule(state: &State, word: &str) -> Option<Name> {
    let id = Name::from(word);
    if state.rules.contains_key(&id) {
        return Some(id);
    }
    let wanted = word.to_lowercase();
    let mut rules = state.rules.iter();
    rules
        .find(|(_, rule)| rule.title.to_lowercase() == wanted)
        .map(|(id, _)| id.clone())
}

/// A category by its code name or title, whatever the case; nothing, or `Post`, for posts in none.
pub fn category(law: &Law, word: &str) -> Option<Name> {
    if word.is_empty() || word.eq_ignore_ascii_case("post") {
        return Some(Name::default());
    }
    let mut known = law.categories.iter();
    let found = known.find(|(name, decl)| {
        name.as_str().eq_ignore_ascii_case(word) || decl.it.title.eq_ignore_ascii_case(word)
    });
    found.map(|(name, _)| name.clone())
}

/// A claim by its id, or by the number of the event that made it.
pub fn claim(state: &State, word: &str) -> Option<Id> {
    let id: Id = word.parse().ok()?;
    if state.claims.contains_key(&id) {
        return Some(id);
    }
    state
        .claims
        .keys()
        .find(|claim| claim.event() == id.event())
        .copied()
}

/// The word among known ones that is spelt most like another, if one is.
pub fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(name, word), name));
    let like = likeness.filter(|(likeness, _)| *likeness > LIKE);
    like.max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_offered_and_none_that_is_far() {
        let known = ["withdraw", "vote", "message"];
        assert_eq!(near("wihdraw", known), Some("withdraw"));
        assert_eq!(near("fly", known), None);
    }
}
