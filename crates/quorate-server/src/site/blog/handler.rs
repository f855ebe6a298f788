//! A game's front page: the blog, what waits for the reader, and where the game stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use quorate_engine::conventions;
use quorate_kernel::rows::{Post, Standing};
use quorate_kernel::{Name, PlayerId, PostId};
use quorate_law::capital;
use quorate_law::datum::Datum;

use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::{drawn, page};
use crate::requests::seen::SeenBy;
use crate::site::blog::page::{Day, Front, Pin, Roster, StoryStep, Welcome};
use crate::site::blog::story;
use crate::ui::urls::Href;
use crate::ui::{Fact, Form, Link, Needs, NeedsLine, Role, plural, urls};
use crate::view::enactments;
use crate::view::entries::entry;
use crate::view::fresh;
use crate::view::game::GameView;
use crate::view::needs::{needs, ordered};
use crate::view::people::Part;
use crate::view::player;
use crate::view::waiting;

/// How many posts a page has.
const POSTS: usize = 20;

/// `GET /g/{game}`.
pub async fn show(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(game): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let view = match GameView::at(&site, &visitor, &game).await {
        Ok(view) => view,
        Err(error) => return reply::failed(&site, &visitor, None, error),
    };
    // What was there before a player's first visit is not news to them.
    if view.is_member() && !view.has_begun_to_see() {
        SeenBy::of(&view).note(fresh::ALL, view.head().seq).await;
    }
    let (enacted, latest) = if view.is_member() {
        (Arc::default(), Vec::new())
    } else {
        (
            enactments::of_rules(&view).await,
            story::latest(&view).await,
        )
    };
    let undone = view.undone_of_me().await;
    drawn(view, move |view| {
        let story = story::story(view, &enacted, &latest);
        Ok(page(view, &front(view, &query, story, undone)))
    })
    .await
}

fn front(
    view: &GameView,
    query: &BTreeMap<String, String>,
    story: Vec<StoryStep>,
    undone: Vec<NeedsLine>,
) -> Front {
    let game = view.game().as_str();
    let kind = query.get("kind").map(|kind| Name::from(kind.as_str()));
    let at: usize = query
        .get("page")
        .and_then(|page| page.parse().ok())
        .unwrap_or(0);
    let chrome = view.chrome(&view.title(), Part::Blog);
    let posts = posts(view, kind.as_ref());
    let shown: Vec<_> = posts.iter().skip(at * POSTS).take(POSTS).copied().collect();
    let here = |page: usize| {
        let mut href: Href = urls::Game { game }.into();
        if let Some(kind) = &kind {
            href = href.with("kind", kind.as_str());
        }
        if page > 0 {
            href.with("page", &page.to_string())
        } else {
            href
        }
    };
    Front {
        chrome: match &kind {
            Some(kind) => {
                chrome.with_feed(Href::from(urls::Feed { game }).with("category", kind.as_str()))
            }
            None => chrome,
        },
        needs: view
            .me()
            .map(|_| {
                let mut lines = needs(view).lines;
                lines.extend(undone);
                lines.extend(view.mentions());
                lines.extend(waiting::passing(view));
                lines.extend(waiting::possible(view));
                Needs {
                    lines: ordered(lines),
                }
            })
            .filter(|needs| !needs.lines.is_empty()),
        welcome: welcome(view),
        story,
        fresh: view.fresh_with_button("posts"),
        pinned: if at == 0 { pinned(view) } else { Vec::new() },
        filters: filters(view, kind.as_ref()),
        days: days(view, &shown),
        write: view.is_member().then(|| urls::Compose { game }.into()),
        older: (posts.len() > (at + 1) * POSTS).then(|| here(at + 1)),
        newer: (at > 0).then(|| here(at - 1)),
        facts: facts(view),
        roster: roster(view),
        last_dynasty: last_dynasty(view),
    }
}

/// Posts that the reader may see, newest first.
fn posts(view: &GameView, kind: Option<&Name>) -> Vec<PostId> {
    let mut posts: Vec<(PostId, &Post)> = view
        .posts()
        .filter(|(_, post)| kind.is_none_or(|kind| post.category == *kind))
        .filter(|(_, post)| view.sees_post(post))
        .map(|(id, post)| (*id, post))
        .collect();
    posts.sort_by_key(|(id, post)| std::cmp::Reverse((post.at, *id)));
    posts.into_iter().map(|(id, _)| id).collect()
}

fn days(view: &GameView, posts: &[PostId]) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    for id in posts {
        let Some(post) = view.post(*id) else { continue };
        let Some(entry) = entry(view, *id) else {
            continue;
        };
        let day = view.when(post.at).day();
        let title = if post.at.day_start() == view.now().day_start() {
            format!("Today, {day}")
        } else {
            day
        };
        match days.last_mut() {
            Some(last) if last.title == title => last.entries.push(entry),
            _ => days.push(Day {
                title,
                entries: vec![entry],
            }),
        }
    }
    days
}

fn pinned(view: &GameView) -> Vec<Pin> {
    let posts = posts(view, None);
    let pins = posts.into_iter().filter_map(|id| {
        let post = view.post(id).filter(|post| view.law().is_sticky(post))?;
        let word = id.to_string();
        Some(Pin {
            title: view.themed(post.title.as_str()),
            href: urls::Post {
                game: view.game().as_str(),
                post: &word,
            }
            .into(),
            note: format!(
                "{} · {}",
                view.category_title(post),
                plural(post.comments as usize, "comment", "comments")
            ),
        })
    });
    pins.collect()
}

fn filters(view: &GameView, chosen: Option<&Name>) -> Vec<(Link, bool)> {
    let game: Href = urls::Game {
        game: view.game().as_str(),
    }
    .into();
    let mut filters = vec![(Link::new("All", game.clone()), chosen.is_none())];
    for name in &view.law().category_order {
        if let Some(category) = view.law().categories.get(name)
            && view
                .posts()
                .map(|(_, row)| row)
                .any(|post| post.category == *name)
        {
            let link = Link::new(category.it.title.clone(), game.with("kind", name.as_str()));
            filters.push((link, chosen == Some(name)));
        }
    }
    filters
}

fn welcome(view: &GameView) -> Option<Welcome> {
    let game = view.game().as_str();
    let rules = Link::new("Read the rules", urls::Ruleset { game });
    let told = |title: &str, text: &str, ways: Vec<Link>| {
        Some(Welcome {
            title: title.to_owned(),
            text: text.to_owned(),
            ways,
        })
    };
    let standing = view.me().and_then(|me| view.public().people.get(&me));
    match standing.map(|person| person.standing) {
        Some(Standing::Member)
            if view
                .me()
                .is_some_and(|me| view.has_flag(me, conventions::IDLE)) =>
        {
            told(
                "You’re idle",
                "The game goes on without you and your votes don’t count. “What you can do” says how to come back.",
                vec![
                    Link::new("What you can do", urls::Act { game }),
                    Link::new("Write a post", urls::Compose { game }),
                ],
            )
        }
        Some(Standing::Member | Standing::Barred) => None,
        Some(Standing::Applicant) => told("You asked to join", &let_in_by(view), vec![rules]),
        Some(Standing::Left) | None => {
            let mut ways = Vec::new();
            if view.visitor().account.is_some() {
                ways.push(Link::new("Ask to join", urls::Join { game }));
            } else {
                // Whoever is new here has no account yet.
                ways.extend(view.visitor().ways_in().into_iter().rev());
            }
            ways.push(rules);
            ways.push(Link::new("How to play", urls::Help));
            told("New here?", &in_short(view), ways)
        }
    }
}

/// Who can let in the reader, who asked to join.
fn let_in_by(view: &GameView) -> String {
    let (active, _) = view.roster();
    let me = view.me();
    let can = |id: &&PlayerId| me.is_some_and(|me| player::can_deal_with(view, **id, me));
    let can: Vec<PlayerId> = active.iter().filter(can).copied().collect();
    let names: Vec<String> = can.iter().map(|id| view.name(*id)).collect();
    let who = match names.as_slice() {
        [] => "A player has to".to_owned(),
        names if names.len() == active.len() && names.len() > 1 => "Any player can".to_owned(),
        [one] => format!("{one} has to"),
        [some @ .., last] => format!("{} or {last} has to", some.join(", ")),
    };
    format!("{who} let you in. They’ve been told, and this page will show it.")
}

/// What goes on, for somebody who comes by, and what they could do in five minutes.
fn in_short(view: &GameView) -> String {
    let (active, _) = view.roster();
    let open = view.open_posts().filter(|(_, post)| view.is_matter(post));
    let open = match open.count() {
        0 => "nothing is up for a vote".to_owned(),
        open => format!("{} up for a vote", plural(open, "matter is", "matters are")),
    };
    format!(
        "{} vote on proposals that change the rules of their game. Right now {open}. Read it, ask to join, and vote once \
         you’re in.",
        plural(active.len(), "player", "players"),
    )
}

/// The dynasty before, with the way to its story.
fn last_dynasty(view: &GameView) -> Option<(String, Link)> {
    let (number, dynasty) = view.public().dynasties.iter().rev().nth(1)?;
    let word = number.to_string();
    let link = urls::Dynasty {
        game: view.game().as_str(),
        dynasty: &word,
    };
    let (title, text) = crate::view::dynasties::in_short(view, *number, dynasty);
    Some((format!("{title}. {text}"), Link::new("Its story", link)))
}

/// Quorum, what is pending, and the values that the law wants in sight.
pub fn facts(view: &GameView) -> Vec<Fact> {
    let mut facts = Vec::new();
    let (active, idle) = view.roster();
    if let Some(Datum::Int(enough)) = view.law_says(conventions::ENOUGH, vec![]) {
        let note = format!("of {}", plural(active.len(), "player", "players"));
        facts.push(
            Fact::new(capital(conventions::ENOUGH), enough.to_string())
                .note(note)
                .to(urls::Players {
                    game: view.game().as_str(),
                }),
        );
    } else {
        let note = format!("{} idle", idle.len());
        facts.push(Fact::new(view.word("Players"), active.len().to_string()).note(note));
    }
    for name in &view.law().category_order {
        let Some(category) = view.law().categories.get(name) else {
            continue;
        };
        let open = view.open_posts();
        let open = open.filter(|(_, post)| post.category == *name).count();
        if open > 0 && !category.it.icons.is_empty() {
            let title = capital(&category.it.title);
            facts.push(Fact::new(title, format!("{open} open")));
        }
    }
    // A flag that does not stand is no news.
    facts.extend(
        view.tracked_facts("sidebar")
            .into_iter()
            .filter(|fact| fact.value != "no"),
    );
    facts
}

fn roster(view: &GameView) -> Roster {
    let (active, idle) = view.roster();
    let leader = view.leader();
    let mut active: Vec<_> = active;
    active.sort_by_key(|id| Some(*id) != leader);
    let count = format!("{} active, {} idle", active.len(), idle.len());
    let active: Vec<_> = active.into_iter().map(|id| view.person(id)).collect();
    let mut key: Vec<Role> = Vec::new();
    for role in active.iter().flat_map(|person| &person.roles) {
        if !key.contains(role) {
            key.push(role.clone());
        }
    }
    Roster {
        title: view.word("Players"),
        count,
        active,
        idle: idle.into_iter().map(|id| view.person(id)).collect(),
        key,
    }
}

/// A button that leads nowhere else than to a form of its own.
pub fn button(view: &GameView, to: impl Into<Href>, words: &str) -> Form {
    Form::button(view.send(to), words)
}
