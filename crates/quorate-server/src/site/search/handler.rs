//! Search in rules, posts, comments and people.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_kernel::law::LIBRARY;

use crate::app::forms::{Opened, drawn, page};
use crate::site::search::page::{Hit, Search};
use crate::site::search::wanted::Wanted;
use crate::ui::urls::Href;
use crate::ui::{Link, markup, urls};
use crate::view::game::GameView;
use crate::view::people::Part;

/// How many places a page shows.
const HITS: usize = 100;

/// How many letters stand around what was found.
const AROUND: usize = 90;

/// `GET /g/{game}/search`.
pub(crate) async fn show(
    Opened(look): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let typed = query.get("q").map_or("", |words| words.trim()).to_owned();
    let wanted = Wanted::read(&query);
    drawn(look, move |look| {
        let search = Search {
            chrome: look.chrome("Search", Part::Elsewhere),
            here: urls::Search {
                game: look.game().as_str(),
            }
            .into(),
            fields: wanted.fields(look, &query),
            is_asked: !wanted.is_empty(),
            hits: if wanted.is_empty() {
                Vec::new()
            } else {
                hits(look, &wanted)
            },
            query: typed,
        };
        Ok(page(look, &search))
    })
    .await
}

fn hits(look: &GameView, wanted: &Wanted) -> Vec<Hit> {
    let words = &wanted.words;
    let mut found: Vec<(usize, Hit)> = Vec::new();
    if wanted.takes_rules() {
        rules(look, words, &mut found);
    }
    if wanted.takes_people() {
        people(look, words, &mut found);
    }
    posts(look, wanted, &mut found);
    found.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    found.into_iter().take(HITS).map(|(_, hit)| hit).collect()
}

/// How well a title and a text answer, and the words around the first place; none where a word is missing.
fn weigh(title: &str, text: &str, words: &[String]) -> Option<(usize, String)> {
    let (low_title, low_text) = (title.to_lowercase(), text.to_lowercase());
    let in_title = words
        .iter()
        .filter(|word| low_title.contains(word.as_str()))
        .count();
    let is_there =
        |word: &String| low_title.contains(word.as_str()) || low_text.contains(word.as_str());
    if !words.iter().all(is_there) {
        return None;
    }
    let first = words
        .iter()
        .filter_map(|word| low_text.find(word.as_str()))
        .min();
    let at = first.map_or(0, |byte| low_text[..byte].chars().count());
    let letters: Vec<char> = text.chars().collect();
    let is_blank = |place: &usize| letters[*place].is_whitespace();
    let from = match at.saturating_sub(AROUND) {
        0 => 0,
        from => (from..at).find(is_blank).map_or(from, |blank| blank + 1),
    };
    let to = match (at + AROUND).min(letters.len()) {
        to if to == letters.len() => to,
        to => (at..to).rfind(is_blank).unwrap_or(to),
    };
    let mut excerpt: String = letters.get(from..to).unwrap_or_default().iter().collect();
    if from > 0 {
        excerpt.insert_str(0, "… ");
    }
    if to < letters.len() {
        excerpt.push_str(" …");
    }
    let shown = excerpt.replace("```starlark", "").replace("```", "");
    let words: Vec<&str> = shown.split_whitespace().collect();
    Some((in_title * 10 + 1, words.join(" ")))
}

/// The same for a text with marks: what is told of it has none, and no code where its prose has the words.
fn weigh_marked(
    look: &GameView,
    title: &str,
    text: &str,
    words: &[String],
) -> Option<(usize, String)> {
    let (weight, raw) = weigh(title, text, words)?;
    let plain = markup::excerpt(text, look.terms(), usize::MAX);
    let excerpt = weigh(title, &plain, words).map_or(raw, |(_, excerpt)| excerpt);
    Some((weight, excerpt))
}

fn rules(look: &GameView, words: &[String], found: &mut Vec<(usize, Hit)>) {
    for (id, rule) in look.public().rules {
        if rule.section == LIBRARY {
            continue;
        }
        let title = look.themed(&rule.title);
        let text = look.themed(&rule.text);
        if let Some((weight, excerpt)) = weigh_marked(look, &title, &text, words) {
            let link = urls::Rule {
                game: look.game().as_str(),
                rule: id.as_str(),
            };
            let hit = Hit {
                kind: "Rule".to_owned(),
                to: Link::new(title, link),
                excerpt,
                when: None,
            };
            found.push((weight * 3, hit));
        }
    }
}

fn people(look: &GameView, words: &[String], found: &mut Vec<(usize, Hit)>) {
    for id in look.public().people.keys() {
        let name = look.name(*id);
        if let Some((weight, _)) = weigh(&name, "", words) {
            let player = id.to_string();
            let link = urls::Player {
                game: look.game().as_str(),
                player: &player,
            };
            let hit = Hit {
                kind: look.word("Player"),
                to: Link::new(name, link),
                excerpt: String::new(),
                when: None,
            };
            found.push((weight * 4, hit));
        }
    }
}

fn posts(look: &GameView, wanted: &Wanted, found: &mut Vec<(usize, Hit)>) {
    let words = &wanted.words;
    for (id, post) in look.posts() {
        let title = look.themed(post.title.as_str());
        let word = id.to_string();
        let href: Href = urls::Post {
            game: look.game().as_str(),
            post: &word,
        }
        .into();
        let is_meant = wanted.takes_posts_of(post.category.as_str())
            && wanted.takes(look, look.author_of(&post.author), post.at);
        if is_meant
            && let Some((weight, excerpt)) = weigh_marked(look, &title, post.body.as_str(), words)
        {
            let hit = Hit {
                kind: look.category_title(post),
                to: Link::new(title.clone(), href.clone()),
                excerpt,
                when: Some(look.when(post.at)),
            };
            found.push((weight * 2, hit));
        }
        if !wanted.takes_comments() {
            continue;
        }
        for (key, comment) in look.comments_of(*id) {
            if wanted.takes(look, look.author_of(&comment.author), comment.at)
                && let Some((weight, excerpt)) =
                    weigh_marked(look, "", comment.text.as_str(), words)
            {
                let hit = Hit {
                    kind: "Comment".to_owned(),
                    to: Link::new(
                        format!("under {title}"),
                        on_its_page(&href, &key.id.to_string()),
                    ),
                    excerpt,
                    when: Some(look.when(comment.at)),
                };
                found.push((weight, hit));
            }
        }
    }
}

/// The way to a comment under a post, which may have several pages of them.
fn on_its_page(post: &Href, comment: &str) -> Href {
    post.with("comment", comment).at(&format!("c{comment}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_must_be_found_and_a_title_weighs_more() {
        let words = vec!["salt".to_owned(), "pier".to_owned()];
        assert!(weigh("Salt", "no such place", &words).is_none());
        let (in_title, _) = weigh("Salt", "a pier", &words).expect("both are there");
        let (in_text, excerpt) = weigh("", "salt on the pier", &words).expect("both are there");
        assert!(in_title > in_text);
        assert_eq!(excerpt, "salt on the pier");
        let far = format!(
            "{} salt and a pier {}",
            "before ".repeat(40),
            "after ".repeat(40)
        );
        let (_, excerpt) = weigh("", &far, &words).expect("both are there");
        assert!(excerpt.starts_with("… before ") && excerpt.ends_with(" after …"));
    }
}
