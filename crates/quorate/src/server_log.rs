//! The server's log: what goes into it, and in which form.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Where the span of each request is opened, by whose id the lines of a request are found.
const REQUESTS: &str = "quorate_server::app::request_log";

/// The form of the server's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum LogForm {
    /// Lines for people.
    Text,
    /// A line of JSON each, for programs.
    Json,
}

/// Sets the log up: warnings and errors, with the request that they belong to, and what the security log notes.
pub(crate) fn begin(form: LogForm) {
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr);
    // Where another log is set up already, as in tests, that one stays.
    let set = match form {
        LogForm::Text => log.finish().with(wanted()).try_init(),
        LogForm::Json => log.json().finish().with(wanted()).try_init(),
    };
    drop(set);
}

fn wanted() -> Targets {
    Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("security", LevelFilter::INFO)
        .with_target(REQUESTS, LevelFilter::INFO)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn requests_are_told_of_and_the_rest_only_where_something_is_wrong() {
        let wanted = wanted();
        let source = include_str!("../../quorate-server/src/app/request_log.rs");
        assert!(source.contains("info_span!(\"request\""), "{REQUESTS}");
        assert!(wanted.would_enable(REQUESTS, &Level::INFO));
        assert!(wanted.would_enable("security", &Level::INFO));
        assert!(wanted.would_enable("quorate_store", &Level::WARN));
        assert!(!wanted.would_enable("quorate_store", &Level::INFO));
    }
}
