//! What stands on the table: tracker, boards, pages, people, desk, messages, the operator's panel.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::app::state::AppState;
use crate::site::tracker::claim;
use crate::site::{board, desk, game_page, messages, operator, people, picture, report, tracker};

pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/g/{game}/tracker", get(tracker::handler::show))
        .route("/g/{game}/claim", post(claim::submit))
        .route("/g/{game}/uploads", post(picture::upload::submit))
        .route("/g/{game}/uploads/{word}", get(picture::upload::own))
        .route(
            "/g/{game}/post/{post}/picture/{word}",
            get(picture::upload::in_post),
        )
        .route(
            "/g/{game}/picture/{thing}/{name}/{digest}",
            get(picture::handler::show),
        )
        .route("/g/{game}/board/{board}", get(board::handler::show))
        .route(
            "/g/{game}/page/{page}",
            get(game_page::handler::show).post(game_page::handler::submit),
        )
        .route("/g/{game}/players", get(people::handler::list))
        .route("/g/{game}/players/{player}", get(people::handler::one))
        .route(
            "/g/{game}/report",
            get(report::handler::show).post(report::handler::submit),
        )
        .route("/g/{game}/desk", get(desk::handler::show))
        .route(
            "/g/{game}/messages",
            get(messages::handler::list).post(messages::handler::submit),
        )
        .route(
            "/g/{game}/messages/{thread}",
            get(messages::handler::thread),
        )
        .route("/operator", get(operator::handler::show))
        .route("/operator/{what}", post(operator::handler::submit))
        .route("/operator/security", get(operator::handler::security))
        .route("/operator/backup", get(operator::handler::whole_backup))
        .route("/operator/backup/{game}", get(operator::handler::backup))
}
