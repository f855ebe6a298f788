//! The room that bodies of requests take until they are answered, and answers until they are taken in.

use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::elsewhere::is_api;
use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::visitor::address_of;
use crate::security::rate::TooOften;

/// How long somebody is told to wait for whom there was no room, in milliseconds.
const AGAIN_AFTER_MS: u64 = 5_000;

/// A layer: counts what comes of a body until it is answered. Says so where there is no room for it.
pub(super) async fn counted(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let (body, held) = site.bodies.counted(body, address_of(&parts, &site));
    let is_api = is_api(&parts);
    let response = next.run(Request::from_parts(parts, body)).await;
    if held.is_refused() {
        return no_room(is_api);
    }
    response
}

/// A layer: counts long answers until they are taken in. Outside of it stands what keeps short ones, and presses them.
pub(super) async fn answered(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let (address, is_api) = (address_of(&parts, &site), is_api(&parts));
    let response = next.run(Request::from_parts(parts, body)).await;
    let (parts, body) = response.into_parts();
    match site.going_out.answered(body, address).await {
        Some(body) => Response::from_parts(parts, body),
        None => no_room(is_api),
    }
}

fn no_room(is_api: bool) -> Response {
    let often = AppError::from(TooOften {
        retry_after_ms: AGAIN_AFTER_MS,
    });
    if is_api {
        return Problem::from(often).into_response();
    }
    often.into_response()
}
