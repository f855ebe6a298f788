//! What stands on the table: tracker, boards, pages, people, desk, messages, the operator's panel.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::web::site::Site;
use crate::web::table::{boards, claim, pages, tracker};

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/g/{game}/tracker", get(tracker::show))
        .route("/g/{game}/claim", post(claim::take))
        .route("/g/{game}/board/{board}", get(boards::show))
        .route("/g/{game}/page/{page}", get(pages::show).post(pages::take))
}
