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
pub(crate) async fn list(Opened(look): Opened) -> Response {
    drawn(look, |look| Ok(page(look, &players(look)))).await
}

fn players(look: &GameView) -> Players {
    let game = look.game().as_str();
    let (active, idle) = look.roster();
    let mut rows: Vec<Row> = active.iter().map(|id| row(look, *id, "active")).collect();
    rows.extend(idle.iter().map(|id| row(look, *id, conventions::IDLE)));
    for (id, person) in look.public().people {
        if person.standing == Standing::Applicant {
            rows.push(row(look, *id, "asks to join"));
        }
    }
    let may_ask = look.me().is_none() && look.visitor().account.is_some();
    Players {
        chrome: look.chrome(&look.word("Players"), Part::Players),
        title: look.word("Players"),
        about: format!("{} active, {} idle", active.len(), idle.len()),
        table: Table {
            id: "players".to_owned(),
            label: look.word("Players"),
            owner: Column::words(look.word("Player")),
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
        join: may_ask.then(|| Form::button(look.send(urls::Join { game }), "Ask to join")),
    }
}

fn row(look: &GameView, id: PlayerId, standing: &str) -> Row {
    let person = &look.public().people[&id];
    let posts = look
        .posts()
        .map(|(_, row)| row)
        .filter(|post| look.author_of(&post.author) == Some(id))
        .count();
    let since = person.joined_at.unwrap_or(person.applied_at);
    Row {
        id: format!("player-{id}"),
        owner: look.person(id),
        cells: vec![
            Cell::text(standing),
            Cell::text(look.when(since).brief()),
            Cell::text(look.when(person.seen_at).brief()),
            Cell::text(posts.to_string()),
        ],
        changed: None,
        history: None,
    }
}

/// `GET /g/{game}/players/{player}`.
pub(crate) async fn one(
    Opened(look): Opened,
    Path((_, player)): Path<(String, String)>,
) -> Response {
    let id = match player.parse::<PlayerId>() {
        Ok(id) if look.public().people.contains_key(&id) => id,
        _ => return answer_in(&look, Err(AppError::NotFound)),
    };
    let idle = CellKey {
        thing: Thing::Player(id),
        name: conventions::IDLE.into(),
    };
    match history::changes(&look, &idle, IDLINGS).await {
        Ok(events) => {
            drawn(look, move |look| {
                let idling = idling(look, &idle, &events);
                Ok(page(look, &player_page(look, id, idling)))
            })
            .await
        }
        Err(error) => answer_in(&look, Err(error)),
    }
}

/// When somebody became idle and active, latest first, and how.
fn idling(look: &GameView, idle: &CellKey, events: &[Event]) -> Vec<(When, String)> {
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
            let how = history::how(look, event, look.may_know(event));
            (look.when(event.at), format!("{word}: {how}"))
        })
    });
    told.collect()
}

/// The votes that somebody cast last, one for each matter.
fn votes(look: &GameView, id: PlayerId) -> Vec<Voted> {
    let mut last: BTreeMap<PostId, (Moment, Name)> = BTreeMap::new();
    for (key, comment) in look.comments() {
        if look.author_of(&comment.author) != Some(id) {
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
        let post = look.post(post_id)?;
        let (game, word) = (look.game().as_str(), post_id.to_string());
        look.sees_post(post).then(|| Voted {
            when: look.when(at),
            ballot: Ballot::new(icon.as_str()),
            on: Link::new(
                look.themed(post.title.as_str()),
                urls::Post { game, post: &word },
            ),
            status: look.status(post),
        })
    });
    told.take(VOTES).collect()
}

/// The dynasties that somebody led, latest first.
fn led(look: &GameView, id: PlayerId) -> Vec<Fact> {
    let mine = look.public().dynasties.iter().rev();
    let mine = mine.filter(|(_, dynasty)| dynasty.leader == Some(id));
    let facts = mine.map(|(number, dynasty)| {
        let word = number.to_string();
        let link = urls::Dynasty {
            game: look.game().as_str(),
            dynasty: &word,
        };
        let title = match dynasty.title.as_str() {
            "" => format!("dynasty {number}"),
            theme => theme.to_owned(),
        };
        let is_last = look.public().dynasties.keys().next_back() == Some(number);
        Fact::new(if is_last { "Leads" } else { "Led" }, title).to(link)
    });
    facts.collect()
}

fn player_page(look: &GameView, id: PlayerId, idling: Vec<(When, String)>) -> PlayerPage {
    let game = look.game().as_str();
    let person = &look.public().people[&id];
    let standing = match person.standing {
        Standing::Applicant => "asks to join".to_owned(),
        Standing::Member if look.has_flag(id, conventions::IDLE) => conventions::IDLE.to_owned(),
        Standing::Member => "active".to_owned(),
        Standing::Left => "has left".to_owned(),
        Standing::Barred => "barred".to_owned(),
    };
    let since = person.joined_at.unwrap_or(person.applied_at);
    let name = look.name(id);
    let mut posts: Vec<_> = look
        .posts()
        .filter(|(_, post)| look.sees_post(post) && look.author_of(&post.author) == Some(id))
        .map(|(post_id, post)| (post.at, *post_id))
        .collect();
    posts.sort_unstable_by(|one, other| other.cmp(one));
    let word = id.to_string();
    let write = Href::from(urls::Messages { game }).with("to", &word);
    PlayerPage {
        chrome: look.chrome(&name, Part::Players),
        person: look.person(id),
        about: format!(
            "{} since {} · {standing}",
            look.word("Player"),
            look.when(since).full()
        ),
        facts: facts(look, id),
        record: record(look, id, posts.len()),
        votes: votes(look, id),
        idling,
        entries: posts
            .iter()
            .take(POSTS)
            .filter_map(|(_, post)| entries::entry(look, *post))
            .collect(),
        offers: about(look, id),
        write: (look.is_member() && look.me() != Some(id))
            .then(|| Link::new(format!("Write to {name}"), write)),
        follow: look
            .follow(&Followed::Person(id))
            .filter(|_| look.me() != Some(id)),
        report: look.visitor().account.is_some().then(|| {
            let to = urls::Report {
                game: look.game().as_str(),
            };
            Href::from(to).with("about", &format!("player:{id}"))
        }),
    }
}

fn record(look: &GameView, id: PlayerId, posts: usize) -> Vec<Fact> {
    let comments = look
        .comments()
        .map(|(_, row)| row)
        .filter(|comment| look.author_of(&comment.author) == Some(id));
    let (mut written, mut votes) = (0, 0);
    for comment in comments {
        written += 1;
        votes += usize::from(comment.icons.iter().any(|icon| icon.counted));
    }
    let passed = look
        .posts()
        .map(|(_, row)| row)
        .filter(|post| look.author_of(&post.author) == Some(id) && post.status == "enacted");
    let mut facts = vec![
        Fact::new("Posts", posts.to_string()).note(plural(
            passed.count(),
            "matter enacted",
            "matters enacted",
        )),
        Fact::new("Comments", written.to_string()).note(plural(votes, "with a vote", "with votes")),
    ];
    facts.extend(led(look, id));
    facts
}
