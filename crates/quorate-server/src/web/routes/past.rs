//! The law and the past: ruleset, search, log, dynasties, feed.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::web::forget;
use crate::web::past::{charts, dynasties, event, feed, log, ruleset, search, source, versions};
use crate::web::site::Site;

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/g/{game}/rules", get(ruleset::show))
        .route("/g/{game}/rules.txt", get(source::show))
        .route("/g/{game}/rules/{rule}/history", get(versions::history))
        .route("/g/{game}/compare", get(versions::compare))
        .route("/g/{game}/search", get(search::show))
        .route("/g/{game}/log", get(log::show))
        .route("/g/{game}/log/{event}", get(event::show))
        .route("/g/{game}/log/{event}/undo", post(event::undo))
        .route("/g/{game}/log/{event}/dispute", post(event::dispute))
        .route("/g/{game}/log/{event}/forget", post(forget::take))
        .route("/g/{game}/dynasties", get(dynasties::list))
        .route("/g/{game}/dynasties/{dynasty}", get(dynasties::one))
        .route("/g/{game}/charts", get(charts::show))
        .route("/g/{game}/feed.atom", get(feed::show))
}
