//! The law and the past: ruleset, search, log, dynasties, feeds.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::app::state::AppState;
use crate::site::feeds::{game, own};
use crate::site::log::event;
use crate::site::ruleset::{source, versions};
use crate::site::{charts, dynasty, forget, log, ruleset, search};

pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/g/{game}/rules", get(ruleset::handler::show))
        .route("/g/{game}/rules.txt", get(source::show))
        .route("/g/{game}/rules/{rule}/history", get(versions::history))
        .route("/g/{game}/compare", get(versions::compare))
        .route("/g/{game}/search", get(search::handler::show))
        .route("/g/{game}/log", get(log::handler::show))
        .route("/g/{game}/log/{event}", get(event::show))
        .route("/g/{game}/log/{event}/undo", post(event::undo))
        .route("/g/{game}/log/{event}/dispute", post(event::dispute))
        .route(
            "/g/{game}/log/{event}/forget",
            post(forget::handler::submit),
        )
        .route("/g/{game}/dynasties", get(dynasty::handler::list))
        .route("/g/{game}/dynasties/{dynasty}", get(dynasty::handler::one))
        .route("/g/{game}/charts", get(charts::handler::show))
        .route("/g/{game}/feed.atom", get(game::posts))
        .route("/g/{game}/feeds/{form}", get(game::show))
        .route("/feeds/{word}/{form}", get(own::show))
}
