//! All games of this server, help, privacy.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::GameId;

use crate::pages::{GameCard, Help, Home, Link, Privacy};
use crate::parts::plural;
use crate::urls;
use crate::web::forms::drawn;
use crate::web::look::Look;
use crate::web::play::front;
use crate::web::reply;
use crate::web::site::Site;
use crate::web::trouble::Trouble;
use crate::web::visitor::Visitor;

/// How many days addresses and sign-ins are kept.
const ADDRESS_DAYS: u32 = 60;

/// `GET /`.
pub async fn show(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    match home(&site, &visitor).await {
        Ok(home) => reply::page(&site, &visitor, StatusCode::OK, &home),
        Err(trouble) => reply::failed(&site, &visitor, None, trouble),
    }
}

async fn home(site: &Arc<Site>, visitor: &Visitor) -> Result<Home, Trouble> {
    let mut games = Vec::new();
    for row in site.parts.games.list().await? {
        let card = match Look::at(site, visitor, row.game.as_str()).await {
            Ok(look) => tokio::task::spawn_blocking(move || card(&look)).await?,
            Err(trouble) => closed(&row.game, &trouble),
        };
        games.push(card);
    }
    games.sort_by_key(|card: &GameCard| (std::cmp::Reverse(card.waiting), !card.is_joined));
    let is_in = visitor.account.is_some();
    Ok(Home {
        chrome: reply::chrome(site, visitor, "Games"),
        welcome: site.parts.house.welcome.clone(),
        games,
        found: is_in.then(|| Link::new("Found a game", urls::Found)),
        panel: visitor
            .is_operator()
            .then(|| Link::new("Operator’s panel", urls::Operator)),
        ways_in: if is_in { Vec::new() } else { visitor.ways_in() },
    })
}

/// What stands for a game that cannot be read: one that is broken does not take the others along.
fn closed(game: &GameId, trouble: &Trouble) -> GameCard {
    tracing::error!(%game, trouble = %trouble.what(), "a game cannot be opened");
    GameCard {
        name: game.to_string(),
        href: urls::Game {
            game: game.as_str(),
        }
        .into(),
        about: "It cannot be opened as things stand; who runs the server sees why on the operator’s panel."
            .to_owned(),
        dynasty: String::new(),
        players: String::new(),
        doing: String::new(),
        waiting: 0,
        is_joined: false,
    }
}

fn card(look: &Look) -> GameCard {
    let game = look.game.as_str();
    let (active, idle) = look.roster();
    let open = look
        .state()
        .posts
        .values()
        .filter(|post| look.is_open(post) && look.is_matter(post))
        .count();
    let last = look.state().posts.values().map(|post| post.at).max();
    let last = last.map(|at| crate::parts::age((look.now - at).0));
    let about = look
        .state()
        .about
        .get(&())
        .map(|about| about.rulebook.clone());
    let book = look
        .site
        .parts
        .books
        .iter()
        .find(|book| Some(&book.name) == about.as_ref());
    GameCard {
        name: look.title(),
        href: urls::Game { game }.into(),
        about: book
            .map(|book| book.manifest.about.clone())
            .unwrap_or_default(),
        dynasty: look.dynasty_line(),
        players: format!(
            "{}, {} idle",
            plural(active.len(), "player", "players"),
            idle.len()
        ),
        doing: match last {
            Some(last) => format!(
                "{} open, last post {last}",
                plural(open, "matter", "matters")
            ),
            None => "no posts yet".to_owned(),
        },
        waiting: if look.me.is_some() {
            front::needs(look).lines.len()
        } else {
            0
        },
        is_joined: look.me.is_some(),
    }
}

/// `GET /help`.
pub async fn help(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    let help = Help {
        chrome: reply::chrome(&site, &visitor, "How to play"),
    };
    reply::page(&site, &visitor, StatusCode::OK, &help)
}

/// `GET /privacy`.
pub async fn privacy(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    let house = &site.parts.house;
    let privacy = Privacy {
        chrome: reply::chrome(&site, &visitor, "What is kept about you"),
        operator: house.operator.clone(),
        contact: house.contact.clone(),
        address_days: ADDRESS_DAYS,
    };
    reply::page(&site, &visitor, StatusCode::OK, &privacy)
}

/// Whatever no route knows; below a game's address it keeps the game's surroundings.
pub async fn nowhere(State(site): State<Arc<Site>>, visitor: Visitor) -> Response {
    let within = visitor.here.as_ref().and_then(|here| {
        let below = here.as_str().strip_prefix("/g/")?;
        below.split(['/', '?']).next()
    });
    if let Some(game) = within
        && let Ok(look) = Look::at(&site, &visitor, game).await
    {
        return drawn(look, |_| Err(Trouble::NotFound)).await;
    }
    reply::failed(&site, &visitor, None, Trouble::NotFound)
}
