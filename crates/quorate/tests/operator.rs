//! What is done about a server on the command line stands in its security log.
#![cfg(unix)]

mod running;

use quorate_runtime::ports::{Safety, SecurityEvent};
use quorate_store::{Store, StoreOptions};
use running::done;

#[tokio::test]
async fn what_the_command_line_did_is_in_the_security_log() {
    let data = tempfile::tempdir().expect("a folder");
    let data = data.path().join("data");
    for words in [
        ["new", "one-page", "--id", "town"].as_slice(),
        &["operator", "Jo"],
        &["operator", "Jo", "--no-more"],
        &["remove", "town"],
        &["remove", "town", "--back"],
    ] {
        done(words, &data);
    }
    let store = Store::open(&data, StoreOptions::default()).await;
    let entries = store.expect("the store").entries(None, 10).await;
    let entries = entries.expect("the log");
    let told: Vec<_> = entries.iter().rev().map(|entry| entry.event).collect();
    assert_eq!(
        told,
        [
            SecurityEvent::OperatorMarked,
            SecurityEvent::RecoveryMade,
            SecurityEvent::OperatorUnmarked,
            SecurityEvent::GameRemoved,
            SecurityEvent::GamePutBack,
        ]
    );
    assert_eq!(entries[0].about, "town");
    assert!(
        entries
            .iter()
            .all(|entry| entry.place == "the command line")
    );
}
