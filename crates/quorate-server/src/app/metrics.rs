//! What is counted: numbers for whoever watches the server.

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

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
