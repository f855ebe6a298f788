//! How to play, what is kept about whom, and whatever no route knows.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::Span;
use quorate_runtime::ports::ENTRIES_KEPT;

use crate::app::error::AppError;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forms::drawn;
use crate::site::help::page::{Help, Privacy};
use crate::view::game::GameView;

/// `GET /help`.
pub async fn help(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let help = Help {
        chrome: reply::chrome(&site, &visitor, "How to play"),
    };
    reply::page(&site, &visitor, StatusCode::OK, &help)
}

/// `GET /privacy`.
pub async fn privacy(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let config = &site.deps.config;
    let privacy = Privacy {
        chrome: reply::chrome(&site, &visitor, "What is kept about you"),
        operator: config.operator.clone(),
        contact: config.contact.clone(),
        address_days: ENTRIES_KEPT.0 / Span::days(1).0,
    };
    reply::page(&site, &visitor, StatusCode::OK, &privacy)
}

/// Whatever no route knows; below a game's address it keeps the game's surroundings.
pub async fn nowhere(State(site): State<Arc<AppState>>, visitor: Visitor) -> Response {
    let within = visitor.here.as_ref().and_then(|here| {
        let below = here.as_str().strip_prefix("/g/")?;
        below.split(['/', '?']).next()
    });
    if let Some(game) = within
        && let Ok(view) = GameView::at(&site, &visitor, game).await
    {
        return drawn(view, |_| Err(AppError::NotFound)).await;
    }
    reply::failed(&site, &visitor, None, AppError::NotFound)
}
