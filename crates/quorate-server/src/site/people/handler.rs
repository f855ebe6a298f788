//! Everybody in a game, and each of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use axum::extract::Path;
use axum::response::Response;
use quorate_engine::conventions;
use quorate_kernel::event::Event;
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Thing, Value};

use quorate_notices::outbox::Followed;

use crate::app::error::AppError;
use crate::requests::forms::{Opened, answer_in, drawn, page};
use crate::site::people::page::{PlayerPage, Players, Voted};
use crate::ui::urls::Href;
use crate::ui::{Ballot, Cell, Column, Fact, Form, Link, Row, Table, When, plural, urls};
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::player::{about, facts};
use crate::view::{entries, history};

/// How many posts a player's page shows.
const POSTS: usize = 8;

/// How many votes a player's page shows.
const VOTES: usize = 12;

/// How many times that somebody became idle or active are told.
const IDLINGS: usize = 12;

/// `GET /g/{game}/players`.
pub(crate) async fn list(Opened(view): Opened) -> Response {
    drawn(view, |view| Ok(page(view, &players(view)))).await
}

fn players(view: &GameView) -> Players {
    let game = view.game().as_str();
    let (active, idle) = view.roster();
    let mut rows: Vec<Row> = active.iter().map(|id| row(view, *id, "active")).collect();
    rows.extend(idle.iter().map(|id| row(view, *id, conventions::IDLE)));
    for (id, person) in view.public().people {
        if person.standing == Standing::Applicant {
            rows.push(row(view, *id, "asks to join"));
        }
    }
    let may_ask = view.me().is_none() && view.visitor().account.is_some();
    Players {
        chrome: view.chrome(&view.word("Players"), Part::Players),
        title: view.word("Players"),
        about: format!("{} active, {} idle", active.len(), idle.len()),
        table: Table {
            id: "players".to_owned(),
            label: view.word("Players"),
            owner: Column::words(view.word("Player")),
            columns: vec![
                Column::words("Standing"),
                Column::words("Since"),
                Column::words("Last seen"),
                Column::numbers("Posts"),
            ],
            rows,
            pseudo: Vec::new(),
            tells_change: false,
        },
        join: may_ask.then(|| Form::button(view.send(urls::Join { game }), "Ask to join")),
    }
}

fn row(view: &GameView, id: PlayerId, standing: &str) -> Row {
    let person = &view.public().people[&id];
    let posts = view
        .posts()
        .map(|(_, row)| row)
        .filter(|post| view.author_of(&post.author) == Some(id))
        .count();
    let since = person.joined_at.unwrap_or(person.applied_at);
    Row {
        id: format!("player-{id}"),
        owner: view.person(id),
        cells: vec![
            Cell::text(standing),
            Cell::text(view.when(since).brief()),
            Cell::text(view.when(person.seen_at).brief()),
            Cell::text(posts.to_string()),
        ],
        changed: None,
        history: None,
    }
}

/// `GET /g/{game}/players/{player}`.
pub(crate) async fn one(
    Opened(view): Opened,
    Path((_, player)): Path<(String, String)>,
) -> Response {
    let id = match player.parse::<PlayerId>() {
        Ok(id) if view.public().people.contains_key(&id) => id,
        _ => return answer_in(&view, Err(AppError::NotFound)),
    };
    let idle = CellKey {
        thing: Thing::Player(id),
        name: conventions::IDLE.into(),
    };
    match history::changes(&view, &idle, IDLINGS).await {
        Ok(events) => {
            drawn(view, move |view| {
                let idling = idling(view, &idle, &events);
                Ok(page(view, &player_page(view, id, idling)))
            })
            .await
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

/// When somebody became idle and active, latest first, and how.
fn idling(view: &GameView, idle: &CellKey, events: &[Event]) -> Vec<(When, String)> {
    let told = events.iter().filter_map(|event| {
        let flag = event
            .steps
            .iter()
            .rev()
            .find_map(|step| match &step.effect {
                Effect::Cell { key, old, new } if key == idle => Some((old.is_some(), new.clone())),
                _ => None,
            });
        let (was_there, new) = flag?;
        let now = matches!(new?.value.open(), Value::Flag(true));
        // That somebody is active at first says nothing.
        (was_there || now).then(|| {
            let word = if now {
                conventions::IDLE
            } else {
                "active again"
            };
            let how = history::how(view, event, view.may_know(event));
            (view.when(event.at), format!("{word}: {how}"))
        })
    });
    told.collect()
}

/// The votes that somebody cast last, one for each matter.
fn votes(view: &GameView, id: PlayerId) -> Vec<Voted> {
    let mut last: BTreeMap<PostId, (Moment, Name)> = BTreeMap::new();
    for (key, comment) in view.comments() {
        if view.author_of(&comment.author) != Some(id) {
            continue;
        }
        let icon = comment.icons.iter().rfind(|icon| icon.counted);
        if let Some(icon) = icon {
            last.insert(key.post, (comment.at, icon.name.clone()));
        }
    }
    let mut votes: Vec<_> = last.into_iter().collect();
    votes.sort_by_key(|(_, (at, _))| Reverse(*at));
    let told = votes.into_iter().filter_map(|(post_id, (at, icon))| {
        let post = view.post(post_id)?;
        let (game, word) = (view.game().as_str(), post_id.to_string());
        view.sees_post(post).then(|| Voted {
            when: view.when(at),
            ballot: Ballot::new(icon.as_str()),
            on: Link::new(
                view.themed(post.title.as_str()),
                urls::Post { game, post: &word },
            ),
            status: view.status(post),
        })
    });
    told.take(VOTES).collect()
}

/// The dynasties that somebody led, latest first.
fn led(view: &GameView, id: PlayerId) -> Vec<Fact> {
    let mine = view.public().dynasties.iter().rev();
    let mine = mine.filter(|(_, dynasty)| dynasty.leader == Some(id));
    let facts = mine.map(|(number, dynasty)| {
        let word = number.to_string();
        let link = urls::Dynasty {
            game: view.game().as_str(),
            dynasty: &word,
        };
        let title = match dynasty.title.as_str() {
            "" => format!("dynasty {number}"),
            theme => theme.to_owned(),
        };
        let is_last = view.public().dynasties.keys().next_back() == Some(number);
        Fact::new(if is_last { "Leads" } else { "Led" }, title).to(link)
    });
    facts.collect()
}

fn player_page(view: &GameView, id: PlayerId, idling: Vec<(When, String)>) -> PlayerPage {
    let game = view.game().as_str();
    let person = &view.public().people[&id];
    let standing = match person.standing {
        Standing::Applicant => "asks to join".to_owned(),
        Standing::Member if view.has_flag(id, conventions::IDLE) => conventions::IDLE.to_owned(),
        Standing::Member => "active".to_owned(),
        Standing::Left => "has left".to_owned(),
        Standing::Barred => "barred".to_owned(),
    };
    let since = person.joined_at.unwrap_or(person.applied_at);
    let name = view.name(id);
    let mut posts: Vec<_> = view
        .posts()
        .filter(|(_, post)| view.sees_post(post) && view.author_of(&post.author) == Some(id))
        .map(|(post_id, post)| (post.at, *post_id))
        .collect();
    posts.sort_unstable_by(|one, other| other.cmp(one));
    let word = id.to_string();
    let write = Href::from(urls::Messages { game }).with("to", &word);
    PlayerPage {
        chrome: view.chrome(&name, Part::Players),
        person: view.person(id),
        about: format!(
            "{} since {} · {standing}",
            view.word("Player"),
            view.when(since).full()
        ),
        facts: facts(view, id),
        record: record(view, id, posts.len()),
        votes: votes(view, id),
        idling,
        entries: posts
            .iter()
            .take(POSTS)
            .filter_map(|(_, post)| entries::entry(view, *post))
            .collect(),
        offers: about(view, id),
        write: (view.is_member() && view.me() != Some(id))
            .then(|| Link::new(format!("Write to {name}"), write)),
        follow: view
            .follow(&Followed::Person(id))
            .filter(|_| view.me() != Some(id)),
        report: view.visitor().account.is_some().then(|| {
            let to = urls::Report {
                game: view.game().as_str(),
            };
            Href::from(to).with("about", &format!("player:{id}"))
        }),
    }
}

fn record(view: &GameView, id: PlayerId, posts: usize) -> Vec<Fact> {
    let comments = view
        .comments()
        .map(|(_, row)| row)
        .filter(|comment| view.author_of(&comment.author) == Some(id));
    let (mut written, mut votes) = (0, 0);
    for comment in comments {
        written += 1;
        votes += usize::from(comment.icons.iter().any(|icon| icon.counted));
    }
    let passed = view
        .posts()
        .map(|(_, row)| row)
        .filter(|post| view.author_of(&post.author) == Some(id) && post.status == "enacted");
    let mut facts = vec![
        Fact::new("Posts", posts.to_string()).note(plural(
            passed.count(),
            "matter enacted",
            "matters enacted",
        )),
        Fact::new("Comments", written.to_string()).note(plural(votes, "with a vote", "with votes")),
    ];
    facts.extend(led(view, id));
    facts
}
