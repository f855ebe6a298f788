//! What whoever watches the server asks, at an address of its own: is it there, can it work, and its numbers.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use quorate_kernel::Span;

use crate::app::metrics::{self as names, Metrics};
use crate::app::state::AppState;
use crate::connections::Connections;

/// How long a note on the disk may take that the server is up.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);

/// What is asked.
#[derive(Clone)]
struct Watched {
    site: Arc<AppState>,
    gathered: Metrics,
    connections: Connections,
}

/// The addresses for whoever watches. Nobody is asked who they are, so they belong where strangers do not reach.
pub fn watch(site: Arc<AppState>, gathered: Metrics, connections: Connections) -> Router {
    let watched = Watched {
        site,
        gathered,
        connections,
    };
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(numbers))
        .with_state(watched)
}

/// `GET /healthz`: the process answers.
async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the store can be read and written.
async fn readyz(State(watched): State<Watched>) -> Response {
    match ready(&watched.site).await {
        Ok(()) => "ready\n".into_response(),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")).into_response(),
    }
}

async fn ready(site: &AppState) -> Result<(), String> {
    let games = site.deps.games.list().await;
    games.map_err(|error| format!("the games cannot be read: {error}"))?;
    // A note of some seconds ago would say nothing of now.
    match tokio::time::timeout(WRITTEN_WITHIN, site.deps.journal.beat(site.now())).await {
        Ok(written) => written.map_err(|error| format!("nothing can be written: {error}")),
        Err(_) => Err(format!(
            "nothing could be written for {} seconds: see the server's log, and check the disk",
            WRITTEN_WITHIN.as_secs()
        )),
    }
}

/// How long ago the server last noted on the disk that it is up.
async fn beat_age(site: &AppState) -> Option<Span> {
    let beat = site.deps.journal.last_beat().await.ok()??;
    Some(site.now() - beat)
}

/// `GET /metrics`: numbers, in the form that Prometheus reads.
async fn numbers(State(watched): State<Watched>) -> String {
    let site = &watched.site;
    let gauge = |name: &'static str, value: usize| {
        metrics::gauge!(name).set(u32::try_from(value).map_or(f64::from(u32::MAX), f64::from));
    };
    gauge(names::CONNECTIONS, watched.connections.count());
    if let Ok(games) = site.deps.games.list().await {
        let awake = games
            .iter()
            .filter(|row| site.deps.games.is_awake(&row.game));
        gauge(names::GAMES_AWAKE, awake.count());
        gauge(names::GAMES, games.len());
    }
    if let Some(workers) = &site.deps.workers {
        let standing = workers.standing();
        metrics::counter!(names::WORKERS_STOPPED).absolute(standing.stopped);
        metrics::counter!(names::WORKERS_ENDED).absolute(standing.ended);
    }
    let off = site.deps.clock.standing().off();
    let seconds = u32::try_from(off.0.abs() / 1_000).unwrap_or(u32::MAX);
    metrics::gauge!(names::CLOCK_OFF).set(f64::from(seconds));
    if let Some(age) = beat_age(site).await {
        let seconds = u32::try_from(age.0 / 1_000).unwrap_or(0);
        metrics::gauge!(names::BEAT_AGE).set(f64::from(seconds));
    }
    process();
    watched.gathered.text()
}

/// What the process itself takes, where the system says so.
fn process() {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return;
    };
    let field = |name: &str| -> Option<u32> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    if let Some(kilobytes) = field("VmRSS:") {
        metrics::gauge!("quorate_resident_bytes").set(f64::from(kilobytes) * 1_024.0);
    }
    if let Some(threads) = field("Threads:") {
        metrics::gauge!("quorate_threads").set(f64::from(threads));
    }
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        let count = u32::try_from(open.count()).unwrap_or(u32::MAX);
        metrics::gauge!("quorate_descriptors").set(f64::from(count));
    }
}
