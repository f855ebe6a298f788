//! The law and the past: ruleset, search, log, charts, dynasties, feed.

use std::sync::Arc;

use axum::Router;

use crate::web::site::Site;

pub(super) fn routes() -> Router<Arc<Site>> {
    Router::new()
}
