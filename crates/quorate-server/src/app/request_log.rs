//! What is told of each request: an id by which a line of the log is found, and its numbers.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::app::metrics;
use crate::app::state::AppState;
use crate::security::chance;

/// The header with a request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A layer: gives each request an id, under which whatever is logged meanwhile is found, and counts it.
pub(crate) async fn tell(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let id = chance::bytes::<8>()
        .map(u64::from_le_bytes)
        .unwrap_or_default();
    let id = format!("{id:016x}");
    let account = tracing::field::Empty;
    let span = tracing::info_span!("request", %id, %method, %route, account);
    let began_at = site.now();
    let mut response = next.run(request).instrument(span.clone()).await;
    if matches!(
        response.status(),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
    ) {
        span.in_scope(|| tracing::info!(target: "security", status = response.status().as_u16(), "not let in"));
    }
    // The clock may have been set back.
    let millis = u32::try_from((site.now() - began_at).0).unwrap_or(0);
    let status = response.status().as_u16().to_string();
    ::metrics::histogram!(metrics::REQUEST_SECONDS, "route" => route.clone())
        .record(f64::from(millis) / 1_000.0);
    ::metrics::counter!(metrics::REQUESTS, "route" => route, "method" => method, "status" => status)
        .increment(1);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}
