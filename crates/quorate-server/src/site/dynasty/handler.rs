//! Dynasties: from one ascension to the next.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use futures_util::future::OptionFuture;
use quorate_engine::conventions;
use quorate_kernel::rows::Dynasty;
use quorate_kernel::{Moment, Thing, Value};
use quorate_law::capital;

use crate::app::error::AppError;
use crate::requests::forms::{Opened, answer_in, drawn, page};
use crate::site::dynasty::dice;
use crate::site::dynasty::page::{Dynasties, DynastyPage};
use crate::ui::markup::Markup;
use crate::ui::urls::Href;
use crate::ui::{Fact, Link, Status, When, urls};
use crate::view::dynasties::{end, line, posts_in, title};
use crate::view::game::GameView;
use crate::view::people::Part;

/// How many settled matters a dynasty's page lists.
const SETTLED: usize = 60;

/// `GET /g/{game}/dynasties`.
pub(crate) async fn list(Opened(view): Opened) -> Response {
    drawn(view, |view| {
        let dynasties = view.public().dynasties.iter().rev();
        let dynasties = dynasties
            .map(|(number, dynasty)| line(view, *number, dynasty))
            .collect();
        let list = Dynasties {
            chrome: view.chrome("Dynasties", Part::Dynasties),
            dynasties,
        };
        Ok(page(view, &list))
    })
    .await
}

/// `GET /g/{game}/dynasties/{dynasty}`.
pub(crate) async fn one(
    Opened(view): Opened,
    Path((_, dynasty)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let number: u32 = dynasty.parse().unwrap_or(0);
    // A dynasty that is over is told with its own words and its own last state.
    let last = end(&view, number).map(|(_, last)| last.to_string());
    let then = match &last {
        Some(last) => {
            let (site, visitor) = (view.app(), view.visitor());
            GameView::then(site, visitor, view.game().as_str(), Some(last))
                .await
                .ok()
        }
        None => None,
    };
    let asked = query.contains_key("check").then(|| dice::check(&view));
    let checked = match OptionFuture::from(asked).await.transpose() {
        Ok(checked) => checked,
        Err(error) => return answer_in(&view, Err(error)),
    };
    drawn(view, move |view| {
        let dynasties = &view.public().dynasties;
        let dynasty = dynasties.get(&number).ok_or(AppError::NotFound)?;
        let told = DynastyPage {
            checked,
            ..whole(view, then.as_ref(), number, dynasty)
        };
        Ok(page(view, &told))
    })
    .await
}

/// The words that a dynasty had for the game's own, as it gave them: "Player: Horde".
fn own_words(view: &GameView) -> String {
    let given = view.public().terms.iter();
    let words = given.map(|(token, word)| format!("{}: {}", capital(token.as_str()), word.one));
    words.collect::<Vec<_>>().join(", ")
}

fn whole(view: &GameView, then: Option<&GameView>, number: u32, dynasty: &Dynasty) -> DynastyPage {
    let game = view.game().as_str();
    let end = end(view, number);
    let title = title(view, number, dynasty);
    let begun = dynasty.event;
    let last = end.map_or(view.head().seq, |(_, last)| last);
    let mut facts = Vec::new();
    if let Some(leader) = dynasty.leader {
        facts.push(Fact::new(
            view.word(&capital(conventions::LEADER)),
            view.name(leader),
        ));
    }
    facts.push(Fact::new("Began", view.when(dynasty.at).full()));
    if let Some((at, _)) = end {
        facts.push(Fact::new("Ended", view.when(at).full()));
        let next = view.public().dynasties.get(&(number + 1));
        if let Some(next) = next.and_then(|next| next.leader) {
            facts.push(Fact::new("Followed by", view.name(next)));
        }
    }
    if let Some(Value::Thing(Thing::Player(winner))) =
        then.and_then(|then| then.kept(&Thing::Game, "winner"))
    {
        facts.push(Fact::new("Won by", view.name(*winner)));
    }
    let words = own_words(then.unwrap_or(view));
    if !words.is_empty() {
        facts.push(Fact::new("Words", words));
    }
    let until = end.map_or(view.now(), |(at, _)| at);
    facts.push(Fact::new(
        "Posts",
        posts_in(view, dynasty.at, until).to_string(),
    ));
    let of = |href: Href| match end {
        Some((_, last)) => href.with("at", &last.to_string()),
        None => href,
    };
    let ways = vec![
        Link::new("Its ruleset", of(urls::Ruleset { game }.into())),
        Link::new("Its tracker", of(urls::Tracker { game }.into())),
        Link::new(
            "Its log",
            match end {
                Some((_, last)) => Href::from(urls::Log { game }).with("from", &last.to_string()),
                None => urls::Log { game }.into(),
            },
        ),
    ];
    DynastyPage {
        chrome: view.chrome(&title, Part::Dynasties),
        title,
        about: String::new(),
        story: address(view, dynasty),
        missing: match end {
            None => view.missing(),
            Some(_) => Vec::new(),
        },
        settled: settled(view, dynasty.at, end.map_or(view.now(), |(at, _)| at)),
        facts,
        ways,
        commitments: dice::commitments(view, begun, last),
        checked: None,
        check: Href::from(urls::Dynasty {
            game,
            dynasty: &number.to_string(),
        })
        .with("check", "dice")
        .at("dice"),
    }
}

/// The matters that were closed in a dynasty, latest first.
fn settled(view: &GameView, from: Moment, to: Moment) -> Vec<(When, Link, Option<Status>)> {
    let posts = view.posts();
    let mut closed: Vec<_> = posts
        .filter(|(_, post)| view.sees_post(post))
        .filter_map(|(id, post)| Some((post.closed_at?, id, post)))
        .filter(|(at, ..)| *at >= from && *at <= to)
        .collect();
    closed.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    let told = closed.into_iter().take(SETTLED).map(|(at, id, post)| {
        let (game, word) = (view.game().as_str(), id.to_string());
        let link = urls::Post { game, post: &word };
        let title = view.themed(post.title.as_str());
        (view.when(at), Link::new(title, link), view.status(post))
    });
    told.collect()
}

/// The post that opened it, where the event that began it is a post of its leader's.
fn address(view: &GameView, dynasty: &Dynasty) -> Markup {
    let post = view
        .posts()
        .find(|(id, post)| id.0.event() == dynasty.event && view.sees_post(post));
    post.map(|(_, post)| view.prose(post.body.as_str(), 2))
        .unwrap_or_default()
}
