//! Everybody in a game, and each of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use axum::extract::Path;
use axum::response::Response;
use quorate_engine::offers;
use quorate_kernel::event::Event;
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Thing, Value};
use quorate_law::datum::{Datum, Type};

use crate::app::error::AppError;
use crate::app::forms::{Opened, answer_in, drawn, page};
use crate::site::blog;
use crate::site::people::page::{PlayerPage, Players, Voted};
use crate::site::tracker::handler::ROSTER;
use crate::site::tracker::history;
use crate::ui::urls::Href;
use crate::ui::{Ballot, Cell, Column, Fact, Form, Link, Offer, Row, Table, When, plural, urls};
use crate::view::game::GameView;
use crate::view::people::Part;

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
    let game = look.game.as_str();
    let (active, idle) = look.roster();
    let mut rows: Vec<Row> = active.iter().map(|id| row(look, *id, "active")).collect();
    rows.extend(idle.iter().map(|id| row(look, *id, "idle")));
    for (id, person) in &look.state().people {
        if person.standing == Standing::Applicant {
            rows.push(row(look, *id, "asks to join"));
        }
    }
    let may_ask = look.me.is_none() && look.visitor.account.is_some();
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
    let person = &look.state().people[&id];
    let posts = look
        .state()
        .posts
        .values()
        .filter(|post| look.view().author(&post.author) == Some(id))
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
        Ok(id) if look.state().people.contains_key(&id) => id,
        _ => return answer_in(&look, Err(AppError::NotFound)),
    };
    let idle = CellKey {
        thing: Thing::Player(id),
        name: "idle".into(),
    };
    match history::changes(&look, &idle, IDLINGS).await {
        Ok(events) => {
            drawn(look, move |look| {
                let idling = idling(look, &idle, &events);
                Ok(page(look, &player_page(look, id, idling)))
            })
            .await
        }
        Err(trouble) => answer_in(&look, Err(trouble)),
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
            let word = if now { "idle" } else { "active again" };
            let how = history::how(look, event, look.may_know(event));
            (look.when(event.at), format!("{word}: {how}"))
        })
    });
    told.collect()
}

/// The votes that somebody cast last, one for each matter.
fn votes(look: &GameView, id: PlayerId) -> Vec<Voted> {
    let mut last: BTreeMap<PostId, (Moment, Name)> = BTreeMap::new();
    for (key, comment) in &look.state().comments {
        if look.view().author(&comment.author) != Some(id) || !look.view().comment(comment) {
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
        let post = look.state().posts.get(&post_id)?;
        let (game, word) = (look.game.as_str(), post_id.to_string());
        look.view().post(post).then(|| Voted {
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
    let mine = look.state().dynasties.iter().rev();
    let mine = mine.filter(|(_, dynasty)| dynasty.leader == Some(id));
    let facts = mine.map(|(number, dynasty)| {
        let word = number.to_string();
        let link = urls::Dynasty {
            game: look.game.as_str(),
            dynasty: &word,
        };
        let title = match dynasty.title.as_str() {
            "" => format!("dynasty {number}"),
            theme => theme.to_owned(),
        };
        let is_last = look.state().dynasties.keys().next_back() == Some(number);
        Fact::new(if is_last { "Leads" } else { "Led" }, title).to(link)
    });
    facts.collect()
}

fn player_page(look: &GameView, id: PlayerId, idling: Vec<(When, String)>) -> PlayerPage {
    let game = look.game.as_str();
    let person = &look.state().people[&id];
    let standing = match person.standing {
        Standing::Applicant => "asks to join".to_owned(),
        Standing::Member if look.has_flag(id, "idle") => "idle".to_owned(),
        Standing::Member => "active".to_owned(),
        Standing::Left => "has left".to_owned(),
        Standing::Barred => "barred".to_owned(),
    };
    let since = person.joined_at.unwrap_or(person.applied_at);
    let name = look.name(id);
    let mut posts: Vec<_> = look
        .state()
        .posts
        .iter()
        .filter(|(_, post)| look.view().post(post) && look.view().author(&post.author) == Some(id))
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
            .filter_map(|(_, post)| blog::handler::entry(look, *post))
            .collect(),
        offers: about(look, id),
        write: (look.is_member() && look.me != Some(id))
            .then(|| Link::new(format!("Write to {name}"), write)),
    }
}

/// What somebody holds, as far as the reader may know it, computed values included: a character sheet.
pub(crate) fn facts(look: &GameView, id: PlayerId) -> Vec<Fact> {
    let thing = Thing::Player(id);
    let mut tracked = look.tracked_of(&"Player".into());
    // The dynasty's values first; what stands on the books about everybody is on the tracker.
    tracked.retain(|value| value.under() != ROSTER);
    let held = look.ask(|tx| {
        let held = tracked.iter().map(|value| look.held(tx, &thing, value));
        held.collect::<Vec<_>>()
    });
    let shown = tracked.iter().zip(held).filter_map(|(value, held)| {
        if held.is_hidden || matches!(held.text.as_str(), "" | "none") {
            return None;
        }
        let key = CellKey {
            thing: thing.clone(),
            name: value.name().clone(),
        };
        let fact = Fact::new(look.themed(&value.title()), held.text);
        Some(if held.is_kept {
            fact.to(history::on_tracker(look, &key))
        } else {
            fact
        })
    });
    shown.collect()
}

fn record(look: &GameView, id: PlayerId, posts: usize) -> Vec<Fact> {
    let comments = look
        .state()
        .comments
        .values()
        .filter(|comment| look.view().author(&comment.author) == Some(id));
    let (mut written, mut votes) = (0, 0);
    for comment in comments {
        written += 1;
        votes += usize::from(comment.icons.iter().any(|icon| icon.counted));
    }
    let passed =
        look.state().posts.values().filter(|post| {
            look.view().author(&post.author) == Some(id) && post.status == "enacted"
        });
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

/// What the reader may do about somebody: actions whose first parameter takes a player and that the law does not refuse.
pub(crate) fn about(look: &GameView, id: PlayerId) -> Vec<Offer> {
    let Some(me) = look.me else {
        return Vec::new();
    };
    let (game, player) = (look.game.as_str(), id.to_string());
    let player = urls::Player {
        game,
        player: &player,
    };
    let back: Href = player.into();
    let target = Datum::Thing(Thing::Player(id));
    let mut found = Vec::new();
    for name in &look.law.action_order {
        let Some(decl) = look.law.actions.get(name) else {
            continue;
        };
        let takes = decl
            .it
            .params
            .first()
            .filter(|param| matches!(&param.ty, Type::Kind(kind) if *kind == "Player"));
        let Some(first) = takes else { continue };
        let offer = look.ask(|tx| offers::offer_about(tx, me, decl, &target));
        let given = (first.name.as_str(), Thing::Player(id));
        found.extend(offer.map(|offer| look.offer_with(&offer, given, &back)));
    }
    found
}
