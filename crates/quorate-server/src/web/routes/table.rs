//! What stands on the table: tracker, boards, pages, people, desk, messages, the operator's panel.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::web::site::Site;
use crate::web::table::{
    boards, claim, desk, messages, operator, pages, people, pictures, tracker,
};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/g/{game}/tracker", get(tracker::show))
        .route("/g/{game}/claim", post(claim::take))
        .route(
            "/g/{game}/picture/{thing}/{name}/{digest}",
            get(pictures::show),
        )
        .route("/g/{game}/board/{board}", get(boards::show))
        .route("/g/{game}/page/{page}", get(pages::show).post(pages::take))
        .route("/g/{game}/players", get(people::list))
        .route("/g/{game}/players/{player}", get(people::one))
        .route("/g/{game}/desk", get(desk::show))
        .route(
            "/g/{game}/messages",
            get(messages::list).post(messages::take),
        )
        .route("/g/{game}/messages/{thread}", get(messages::thread))
        .route("/operator", get(operator::show))
        .route("/operator/{what}", post(operator::take))
        .route("/operator/backup/{game}", get(operator::backup))
}
