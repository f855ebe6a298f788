//! What stands on the table: tracker, boards, pages, people, desk, messages, the operator's panel.

use std::sync::Arc;

use axum::Router;

use crate::web::site::Site;

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
}
