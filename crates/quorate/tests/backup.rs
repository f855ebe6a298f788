//! Copies of a server that runs, and what comes back of them: the drill of the operator's guide.
#![cfg(unix)]

mod running;

use std::fs;

use running::{Server, done, refused};

fn with_a_game() -> tempfile::TempDir {
    let parent = tempfile::tempdir().expect("a folder");
    done(
        &["new", "one-page", "--id", "town"],
        &parent.path().join("data"),
    );
    parent
}

#[test]
fn the_drill_of_the_guide() {
    let parent = with_a_game();
    let place = |name: &str| parent.path().join(name);
    let data = place("data");
    let server = Server::start(&data);
    for copy in ["monday", "monday.tar"] {
        let into = place(copy);
        let told = done(&["backup", into.to_str().expect("a path")], &data);
        assert_eq!(told["games"], 1);
        let back = place(&format!("{copy}-back"));
        let told = done(&["restore", into.to_str().expect("a path")], &back);
        assert_eq!(told["games"][0]["holds"], true, "{told}");
        let verified = done(&["verify", "town"], &back);
        assert_eq!(verified["holds"], true);
        assert_eq!(verified["head"], done(&["verify", "town"], &data)["head"]);
        let restored = Server::start(&back);
        assert!(restored.status("/g/town").contains(" 200 "));
        restored.stop();
        // Neither a backup nor a restore goes over what is there.
        assert!(
            refused(&["backup", into.to_str().expect("a path")], &data)
                .contains("is there already")
        );
        assert!(refused(&["restore", into.to_str().expect("a path")], &back).contains("not empty"));
    }
    server.stop();
    let ahead = fs::metadata(data.join("quorate.db-wal"));
    assert_eq!(
        ahead.map_or(0, |ahead| ahead.len()),
        0,
        "all is in the file"
    );
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let parent = with_a_game();
    let place = |name: &str| parent.path().join(name);
    let copy = place("copy");
    let from = copy.to_str().expect("a path");
    done(&["backup", from], &place("data"));
    let file = copy.join("quorate.db");
    let whole = fs::read(&file).expect("the copy");
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xFF;
        bytes
    };
    // The name of the founder is in a sealed part; what an event did is in its open part.
    let founding = whole.windows(8).position(|bytes| bytes == b"one-page");
    // Nothing holds together what is kept of accounts but the digest of the whole.
    let accounts = whole.windows(8).rposition(|bytes| bytes == b"accounts");
    let damages = [
        changed(accounts.expect("the table is there")),
        changed(whole.len() - 1),
        whole[..whole.len() / 2].to_vec(),
        changed(4_096 + 3),
        changed(founding.expect("the rulebook's name is there")),
    ];
    for (number, bytes) in damages.into_iter().enumerate() {
        fs::write(&file, bytes).expect("damage");
        let said = refused(&["restore", from], &place("back"));
        assert!(!place("back").exists(), "{number}: {said}");
        let left = fs::read_dir(parent.path()).expect("the folder").count();
        assert_eq!(left, 2, "{number}: nothing stays behind");
    }
}

#[test]
fn a_lost_secret_is_named_with_a_way_on() {
    let parent = with_a_game();
    let data = parent.path().join("data");
    fs::remove_file(data.join("secret")).expect("it is there");
    let said = refused(&["serve", "--listen", "127.0.0.1:0"], &data);
    assert!(
        said.contains("secret") && said.contains("quorate new-secret"),
        "{said}"
    );
    done(&["new-secret"], &data);
    Server::start(&data).stop();
}
