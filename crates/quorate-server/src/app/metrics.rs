//! What is counted and told of requests: numbers for whoever watches the server, and an id by which a line of its log is found.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tracing::Instrument;

use crate::app::state::AppState;
use crate::security::chance;

/// The header with a request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// How long requests take, in seconds, as steps in which they are counted.
const STEPS: [f64; 9] = [0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0, 10.0];

/// Requests by route, method and status.
pub const REQUESTS: &str = "quorate_requests_total";
/// How long they took, in seconds.
pub const REQUEST_SECONDS: &str = "quorate_request_seconds";
/// Commands by what became of them.
pub const COMMANDS: &str = "quorate_commands_total";
/// Entries of the security log by their word.
pub const SECURITY_EVENTS: &str = "quorate_security_events_total";
/// Connections that are open.
pub const CONNECTIONS: &str = "quorate_connections";
/// Games that are awake.
pub const GAMES_AWAKE: &str = "quorate_games_awake";
/// Games that there are.
pub const GAMES: &str = "quorate_games";
/// Workers that were stopped over their time.
pub const WORKERS_STOPPED: &str = "quorate_workers_stopped_total";
/// Workers that ended by themselves.
pub const WORKERS_ENDED: &str = "quorate_workers_ended_total";
/// By how many seconds the machine's clock has jumped, while games do not follow it.
pub const CLOCK_OFF: &str = "quorate_clock_off_seconds";
/// Seconds since the server last noted on the disk that it is up.
pub const BEAT_AGE: &str = "quorate_beat_age_seconds";

/// Where numbers are gathered.
#[derive(Clone)]
pub struct Metrics(PrometheusHandle);

impl Metrics {
    /// Begins to gather, for the whole process.
    ///
    /// # Errors
    /// Fails where something gathers already.
    pub fn begin() -> Result<Self, BuildError> {
        let seconds = Matcher::Full(REQUEST_SECONDS.to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(seconds, &STEPS)?;
        Ok(Self(builder.install_recorder()?))
    }

    /// The numbers as text.
    pub fn text(&self) -> String {
        self.0.run_upkeep();
        self.0.render()
    }
}

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
    let span = tracing::info_span!("request", %id, %method, %route);
    let began_at = site.now();
    let mut response = next.run(request).instrument(span).await;
    // The clock may have been set back.
    let millis = u32::try_from((site.now() - began_at).0).unwrap_or(0);
    let status = response.status().as_u16().to_string();
    metrics::histogram!(REQUEST_SECONDS, "route" => route.clone())
        .record(f64::from(millis) / 1_000.0);
    metrics::counter!(REQUESTS, "route" => route, "method" => method, "status" => status)
        .increment(1);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}
