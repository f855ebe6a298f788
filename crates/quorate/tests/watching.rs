//! What whoever watches a server is told, at an address of its own, and that the guide's alerts ask for what there is.
#![cfg(unix)]

mod running;

use std::path::Path;

use running::{Server, asked, done};

#[test]
fn whoever_watches_is_answered_at_an_address_of_its_own() {
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("data");
    done(&["new", "one-page", "--id", "town"], &data);
    let server = Server::with(&data, &["--metrics-listen", "127.0.0.1:0"]);
    let watched = server.said["metrics"].as_str().expect("an address");
    let watched = watched.trim_start_matches("http://").to_owned();

    let page = asked(&server.address, "/g/town");
    let id = page
        .lines()
        .find_map(|line| line.strip_prefix("x-request-id: "));
    assert_eq!(
        id.map(str::len),
        Some(16),
        "each answer has the id of its request"
    );
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert!(
            server.status(path).contains(" 404 "),
            "{path} is not for strangers"
        );
        assert!(asked(&watched, path).starts_with("HTTP/1.1 200"), "{path}");
    }
    let numbers = asked(&watched, "/metrics");
    assert!(numbers.contains("quorate_games 1"), "{numbers}");
    let counted = "quorate_requests_total{route=\"/g/{game}\",method=\"GET\",status=\"200\"} 1";
    assert!(numbers.contains(counted), "{numbers}");

    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operators-guide.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let alerts = guide
        .lines()
        .filter(|line| line.starts_with("| `") && line.contains("quorate_"));
    let mut asked_for = 0;
    for alert in alerts {
        let end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        for name in alert.split(end).filter(|word| word.starts_with("quorate_")) {
            asked_for += 1;
            // What counts only once it has happened is not there before.
            let happens = [
                "quorate_security_events_total",
                "quorate_workers_stopped_total",
            ];
            let is_there = numbers.lines().any(|line| line.starts_with(name));
            assert!(is_there || happens.contains(&name), "{name}: {numbers}");
        }
    }
    assert!(asked_for >= 7, "{asked_for} alerts");
    server.stop();
}
