//! A game's front page: the blog, what waits for the reader, and where the game stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Response};
use quorate_kernel::digest::Digest;
use quorate_kernel::rows::{Post, Standing};
use quorate_kernel::{Name, PlayerId, PostId, Span, Thing};
use quorate_law::capital;
use quorate_law::datum::Datum;

use crate::app::forms::drawn;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::blog::page::{Day, Front, Pin, Roster, Welcome};
use crate::site::blog::waiting;
use crate::ui::markup::Markup;
use crate::ui::urls::Href;
use crate::ui::{Entry, Fact, Form, Icon, Link, Needs, NeedsLine, Role, plural, urls};
use crate::view::game::{GameContext, GameView};
use crate::view::people::Part;

/// How many posts a page has.
const POSTS: usize = 20;

/// For how long a page that was made is given to who asks for the same.
const SHARED_FOR: Span = Span(5_000);

/// How many letters of a text the front page shows.
const EXCERPT: usize = 420;

/// `GET /g/{game}`.
pub async fn show(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path(game): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let glance = match GameContext::at(&site, &visitor, &game).await {
        Ok(glance) => glance,
        Err(trouble) => return reply::failed(&site, &visitor, None, trouble),
    };
    // A notice is told once, so a page with one is nobody else's.
    let key = visitor.notice.is_none().then(|| shared(&glance, &query));
    if let Some(known) = key.and_then(|key| site.fronts.get(&key)) {
        let html = Html((*known).clone()).into_response();
        return reply::finished(&site, &visitor, html);
    }
    let look = match glance.look().await {
        Ok(look) => look,
        Err(trouble) => return reply::failed(&site, &visitor, None, trouble),
    };
    drawn(look, move |look| {
        let html = Bytes::from(front(look, &query).render()?);
        if let Some(key) = key {
            look.site.fronts.put(key, Arc::new(html.clone()));
        }
        let html = Html(html).into_response();
        Ok(reply::finished(&look.site, &look.visitor, html))
    })
    .await
}

/// What a front page follows from: it is the same for whoever asks for the same within some seconds. No form is on it, and so
/// nothing that belongs to one session.
fn shared(glance: &GameContext, query: &BTreeMap<String, String>) -> Digest {
    let visitor = &glance.visitor;
    let reader = visitor.account.as_ref();
    let parts = format!(
        "{:?} {:?} {:?} {:?} {:?} {} {:?} {:?}",
        glance.game,
        glance.published.head,
        reader.map(|account| (account.id, &account.name, account.operator)),
        glance.me,
        glance.read,
        visitor.has_keys,
        visitor.theme,
        (query, &visitor.here, glance.now.0.div_euclid(SHARED_FOR.0)),
    );
    Digest::of(parts.as_bytes())
}

fn front(look: &GameView, query: &BTreeMap<String, String>) -> Front {
    let game = look.game.as_str();
    let kind = query.get("kind").map(|kind| Name::from(kind.as_str()));
    let at: usize = query
        .get("page")
        .and_then(|page| page.parse().ok())
        .unwrap_or(0);
    let posts = posts(look, kind.as_ref());
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
        chrome: look.chrome(&look.title(), Part::Blog),
        needs: look
            .me
            .map(|_| {
                let mut needs = needs(look);
                needs.lines.extend(waiting::possible(look));
                needs
            })
            .filter(|needs| !needs.lines.is_empty()),
        welcome: welcome(look),
        pinned: if at == 0 { pinned(look) } else { Vec::new() },
        filters: filters(look, kind.as_ref()),
        days: days(look, &shown),
        write: look.is_member().then(|| urls::Compose { game }.into()),
        older: (posts.len() > (at + 1) * POSTS).then(|| here(at + 1)),
        newer: (at > 0).then(|| here(at - 1)),
        facts: facts(look),
        roster: roster(look),
        last_dynasty: last_dynasty(look),
    }
}

/// Posts that the reader may see, newest first.
fn posts(look: &GameView, kind: Option<&Name>) -> Vec<PostId> {
    let mut posts: Vec<(PostId, &Post)> = look
        .state()
        .posts
        .iter()
        .filter(|(_, post)| kind.is_none_or(|kind| post.category == *kind))
        .filter(|(_, post)| look.view().post(post))
        .map(|(id, post)| (*id, post))
        .collect();
    posts.sort_by_key(|(id, post)| std::cmp::Reverse((post.at, *id)));
    posts.into_iter().map(|(id, _)| id).collect()
}

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
        is_closed: post.closed_at.is_some(),
    })
}

fn days(look: &GameView, posts: &[PostId]) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    for id in posts {
        let Some(post) = look.post(*id) else { continue };
        let Some(entry) = entry(look, *id) else {
            continue;
        };
        let day = look.when(post.at).day();
        let title = if post.at.day_start() == look.now.day_start() {
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

fn pinned(look: &GameView) -> Vec<Pin> {
    let posts = posts(look, None);
    let pins = posts.into_iter().filter_map(|id| {
        let post = look.post(id).filter(|post| look.law.is_sticky(post))?;
        let word = id.to_string();
        Some(Pin {
            title: look.themed(post.title.as_str()),
            href: urls::Post {
                game: look.game.as_str(),
                post: &word,
            }
            .into(),
            note: format!(
                "{} · {}",
                look.category_title(post),
                plural(post.comments as usize, "comment", "comments")
            ),
        })
    });
    pins.collect()
}

fn filters(look: &GameView, chosen: Option<&Name>) -> Vec<(Link, bool)> {
    let game: Href = urls::Game {
        game: look.game.as_str(),
    }
    .into();
    let mut filters = vec![(Link::new("All", game.clone()), chosen.is_none())];
    for name in &look.law.category_order {
        if let Some(category) = look.law.categories.get(name)
            && look
                .state()
                .posts
                .values()
                .any(|post| post.category == *name)
        {
            let link = Link::new(category.it.title.clone(), game.with("kind", name.as_str()));
            filters.push((link, chosen == Some(name)));
        }
    }
    filters
}

fn welcome(look: &GameView) -> Option<Welcome> {
    let game = look.game.as_str();
    let rules = Link::new("Read the rules", urls::Ruleset { game });
    let told = |title: &str, text: &str, ways: Vec<Link>| {
        Some(Welcome {
            title: title.to_owned(),
            text: text.to_owned(),
            ways,
        })
    };
    let standing = look.me.and_then(|me| look.state().people.get(&me));
    match standing.map(|person| person.standing) {
        Some(Standing::Member) if look.me.is_some_and(|me| look.has_flag(me, "idle")) => told(
            "You are idle",
            "The game goes on without you, and your votes do not count. What the rules ask of who comes back stands with what \
             you can do.",
            vec![
                Link::new("What you can do", urls::Act { game }),
                Link::new("Write a post", urls::Compose { game }),
            ],
        ),
        Some(Standing::Member | Standing::Barred) => None,
        Some(Standing::Applicant) => told(
            "You asked to join",
            "Somebody who may will let you in, and this page will say so.",
            vec![rules],
        ),
        Some(Standing::Left) | None => {
            let mut ways = Vec::new();
            if look.visitor.account.is_some() {
                ways.push(Link::new("Ask to join", urls::Join { game }));
            } else {
                ways.extend(look.visitor.ways_in());
            }
            ways.push(rules);
            ways.push(Link::new("How to play", urls::Help));
            told(
                "New here?",
                "A game of Nomic: its moves are changes of its own rules. Read along, or ask to join.",
                ways,
            )
        }
    }
}

/// The dynasty before, with the way to its story.
fn last_dynasty(look: &GameView) -> Option<(String, Link)> {
    let (number, dynasty) = look.state().dynasties.iter().rev().nth(1)?;
    let word = number.to_string();
    let link = urls::Dynasty {
        game: look.game.as_str(),
        dynasty: &word,
    };
    let (title, text) = crate::site::dynasty::handler::in_short(look, *number, dynasty);
    Some((format!("{title}. {text}"), Link::new("Its story", link)))
}

/// What waits for the reader: questions, votes not cast, what the law obliges them to.
pub fn needs(look: &GameView) -> Needs {
    let mut lines = questions(look);
    lines.extend(waiting::letters(look));
    lines.extend(unvoted(look));
    lines.extend(obligations(look));
    lines.extend(waiting::closings(look));
    Needs { lines }
}

fn questions(look: &GameView) -> Vec<NeedsLine> {
    let Some(me) = look.me else {
        return Vec::new();
    };
    let act: Href = urls::Act {
        game: look.game.as_str(),
    }
    .into();
    let open = look.state().open.iter().filter(|(key, _)| key.who == me);
    let open = open.map(|(key, open)| NeedsLine {
        icon: Icon::Ask,
        title: open.question.what.clone(),
        href: act.at(&format!("ask-{}", key.action)),
        after: String::new(),
        note: "waits for your answer".to_owned(),
        due: Some(look.when(open.deadline)),
    });
    let duties = look.state().duties.iter().filter(|(_, duty)| duty.to == me);
    let duties = duties.map(|(id, duty)| NeedsLine {
        icon: Icon::Ask,
        title: look.duty_title(duty),
        href: act.at(&format!("duty-{id}")),
        after: String::new(),
        note: "is left to you".to_owned(),
        due: Some(look.when(duty.deadline)),
    });
    open.chain(duties).collect()
}

fn unvoted(look: &GameView) -> Vec<NeedsLine> {
    let Some(me) = look
        .me
        .filter(|me| look.is_member() && !look.has_flag(*me, "idle"))
    else {
        return Vec::new();
    };
    let open =
        look.state().posts.iter().filter(|(_, post)| {
            look.view().post(post) && look.is_open(post) && look.is_matter(post)
        });
    let silent = open.filter(|(id, post)| {
        let icons = &look.law.categories[&post.category].it.icons;
        !look.state().comments.iter().any(|(key, comment)| {
            key.post == **id
                && look.view().author(&comment.author) == Some(me)
                && comment.icons.iter().any(|icon| icons.contains(&icon.name))
        }) && look.view().author(&post.author) != Some(me)
    });
    silent
        .map(|(id, post)| {
            let word = id.to_string();
            NeedsLine {
                icon: Icon::Pending,
                title: look.themed(post.title.as_str()),
                href: urls::Post {
                    game: look.game.as_str(),
                    post: &word,
                }
                .into(),
                after: String::new(),
                note: "has no vote of yours".to_owned(),
                due: None,
            }
        })
        .collect()
}

/// What the law itself says that the reader owes, where it keeps such lists (`obligations`, and `reminders` for what is
/// only well done): lines that begin with whose they are, by name or by what they are, and a colon.
fn obligations(look: &GameView) -> Vec<NeedsLine> {
    let Some(me) = look.me else {
        return Vec::new();
    };
    let href = look.own_desk(me);
    let mut found = Vec::new();
    for (list, icon, note) in [
        ("obligations", Icon::Key, "the rules ask this of you"),
        ("reminders", Icon::Star, "the rules leave this to you"),
    ] {
        let Some(Datum::List(items)) = look.attribute(&Thing::Game, list) else {
            continue;
        };
        found.extend(items.iter().filter_map(|item| {
            let Datum::Text(text) = item else { return None };
            let (whose, what) = text.split_once(": ")?;
            look.is_called(me, whose).then(|| NeedsLine {
                icon,
                title: capital(what),
                href: href.clone(),
                after: String::new(),
                note: note.to_owned(),
                due: None,
            })
        }));
    }
    found
}

impl GameView {
    /// Whether a line that begins with a name or a group is for somebody.
    fn is_called(&self, me: PlayerId, whose: &str) -> bool {
        let is = |token: &str| {
            whose.eq_ignore_ascii_case(&self.word(token)) || whose.eq_ignore_ascii_case(token)
        };
        whose == self.name(me)
            || (is("players") || whose == "Everybody")
            || ((is("admin") || is("admins")) && self.has_flag(me, "admin"))
            || (is("emperor") && self.emperor() == Some(me))
    }

    /// Where somebody does what the rules ask of them.
    fn own_desk(&self, me: PlayerId) -> Href {
        let game = self.game.as_str();
        if self.has_flag(me, "admin") {
            urls::Desk { game }.into()
        } else {
            urls::Act { game }.into()
        }
    }
}

/// Quorum, what is pending, and the values that the law wants in sight.
pub fn facts(look: &GameView) -> Vec<Fact> {
    let mut facts = Vec::new();
    let (active, idle) = look.roster();
    if let Some(Datum::Int(quorum)) = look.law_says("quorum", vec![]) {
        let note = format!("of {}", plural(active.len(), "player", "players"));
        facts.push(
            Fact::new("Quorum", quorum.to_string())
                .note(note)
                .to(urls::Players {
                    game: look.game.as_str(),
                }),
        );
    } else {
        let note = format!("{} idle", idle.len());
        facts.push(Fact::new(look.word("Players"), active.len().to_string()).note(note));
    }
    for name in &look.law.category_order {
        let Some(category) = look.law.categories.get(name) else {
            continue;
        };
        let open = look
            .state()
            .posts
            .values()
            .filter(|post| post.category == *name && look.is_open(post))
            .count();
        if open > 0 && !category.it.icons.is_empty() {
            let title = format!("{} open", capital(&category.it.title));
            facts.push(Fact::new(title, open.to_string()));
        }
    }
    // A flag that does not stand is no news.
    facts.extend(
        look.tracked_facts("sidebar")
            .into_iter()
            .filter(|fact| fact.value != "no"),
    );
    facts
}

fn roster(look: &GameView) -> Roster {
    let (active, idle) = look.roster();
    let leader = look.emperor();
    let mut active: Vec<_> = active;
    active.sort_by_key(|id| Some(*id) != leader);
    let count = format!("{} active, {} idle", active.len(), idle.len());
    let active: Vec<_> = active.into_iter().map(|id| look.person(id)).collect();
    let mut key: Vec<Role> = Vec::new();
    for role in active.iter().flat_map(|person| &person.roles) {
        if !key.contains(role) {
            key.push(role.clone());
        }
    }
    Roster {
        title: look.word("Players"),
        count,
        active,
        idle: idle.into_iter().map(|id| look.person(id)).collect(),
        key,
    }
}

/// A button that leads nowhere else than to a form of its own.
pub fn button(look: &GameView, to: impl Into<Href>, words: &str) -> Form {
    Form::button(look.send(to), words)
}
