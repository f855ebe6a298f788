//! A server whose old logs lie in a bucket, and copies of it there. It needs a service that speaks S3.
#![cfg(unix)]

#[path = "../running/mod.rs"]
mod running;
mod service;

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use service::Service;

/// The program with what it takes to use the service's bucket.
fn quorate(service: &Service, words: &[&str], data: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_quorate"));
    program.args(words).arg("--json").arg("--data").arg(data);
    program.envs(variables(service));
    program
}

fn variables(service: &Service) -> [(&'static str, String); 5] {
    [
        ("AWS_ENDPOINT", format!("http://{}", service.address)),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "key".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "word".to_owned()),
    ]
}

fn done(service: &Service, words: &[&str], data: &Path) -> Json {
    let output = quorate(service, words, data).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said} {wrong}");
    serde_json::from_str(said.trim()).expect("it says so in JSON")
}

/// A server under `env`, which gives it the variables.
fn served(service: &Service, data: &Path, flags: &[&str]) -> running::Server {
    let variables = variables(service).map(|(name, value)| format!("{name}={value}"));
    let before: Vec<&str> = std::iter::once("env")
        .chain(variables.iter().map(String::as_str))
        .collect();
    running::Server::under(&before, data, flags)
}

const PLACE: [&str; 2] = ["--objects", "s3://bucket/a-site"];

#[test]
fn a_game_at_rest_is_put_away_and_read_back_by_the_server() {
    let Some(service) = Service::start() else {
        return;
    };
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("data");
    done(&service, &["new", "one-page", "--id", "town"], &data);
    let before = done(&service, &["verify", "town"], &data);
    let put_away = [&PLACE[..], &["--archive-after", "0"]].concat();
    let server = served(&service, &data, &put_away);
    let (_nobody, says) = std::sync::mpsc::channel::<()>();
    let is_there = (0..600).any(|_| {
        let waited = says.recv_timeout(std::time::Duration::from_millis(50));
        waited.is_ok() || !service.names("a-site/events/town/").is_empty()
    });
    assert!(is_there, "its log is in the bucket");
    for page in ["/g/town", "/g/town/log", "/g/town/rules"] {
        let said = running::asked(&server.address, page);
        assert!(said.starts_with("HTTP/1.1 200"), "{page}: {said}");
    }
    server.stop();

    let after = done(&service, &[&["verify", "town"], &PLACE[..]].concat(), &data);
    assert_eq!(
        (&after["holds"], &after["head"]),
        (&before["holds"], &before["head"])
    );
    let backup = parent.path().join("copy.tar");
    done(
        &service,
        &["backup", backup.to_str().expect("a path")],
        &data,
    );
    let restore = ["restore", backup.to_str().expect("a path")];
    let back = parent.path().join("back");
    let told = done(&service, &[&restore[..], &PLACE[..]].concat(), &back);
    assert_eq!(told["games"][0]["holds"], true, "{told}");
    let untold = quorate(&service, &["verify", "town"], &data).output();
    let untold = untold.expect("it runs");
    assert!(!untold.status.success());
    let said = String::from_utf8_lossy(&untold.stderr).into_owned();
    assert!(
        said.contains("old events of town lie in a folder or bucket"),
        "{said}"
    );
    assert_eq!(said.trim().lines().count(), 1, "{said}");
}

#[test]
fn a_backup_and_a_game_go_to_a_bucket_and_come_back() {
    let Some(service) = Service::start() else {
        return;
    };
    let parent = tempfile::tempdir().expect("a folder");
    let place = |name: &str| parent.path().join(name);
    done(
        &service,
        &["new", "one-page", "--id", "town"],
        &place("data"),
    );
    let head = done(&service, &["verify", "town"], &place("data"))["head"].clone();
    let (backup, log) = (
        "s3://bucket/backups/monday.tar",
        "s3://bucket/ended/town.jsonl",
    );
    done(&service, &["backup", backup], &place("data"));
    done(&service, &["export", "town", log], &place("data"));
    let told = done(&service, &["restore", backup], &place("back"));
    assert_eq!(told["games"][0]["holds"], true, "{told}");
    done(&service, &["import", log], &place("other"));
    for copy in ["back", "other"] {
        assert_eq!(
            done(&service, &["verify", "town"], &place(copy))["head"],
            head
        );
    }
    let nothing = ["restore", "s3://nowhere/monday.tar"];
    let nothing = quorate(&service, &nothing, &place("new")).output();
    let said = String::from_utf8_lossy(&nothing.expect("it runs").stderr).into_owned();
    assert!(
        said.contains("there is no monday.tar in the bucket nowhere"),
        "{said}"
    );
}
