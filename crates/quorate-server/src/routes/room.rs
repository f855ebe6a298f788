//! The room that bodies of requests take until they are answered.

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

/// When they may try again who sent more than there was room for, in milliseconds.
const AGAIN_AFTER_MS: u64 = 5_000;

/// A layer: counts what comes of a body until it is answered, and says so where there is no room for it.
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
    if !held.is_refused() {
        return response;
    }
    let often = TooOften {
        retry_after_ms: AGAIN_AFTER_MS,
    };
    if is_api {
        return Problem::from(AppError::from(often)).into_response();
    }
    AppError::from(often).into_response()
}
