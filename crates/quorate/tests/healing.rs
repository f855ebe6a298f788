//! What kept a server from writing is gone, and it goes on by itself.
#![cfg(unix)]

mod running;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use running::{Server, done};

/// Somebody who isn't root, for whom a folder can be closed.
const NOBODY: &str = "65534";

/// Sets what may be done with a folder and with the files in it.
fn allow(data: &Path, folder: u32, file: u32) {
    fs::set_permissions(data, Permissions::from_mode(0o700)).expect("ours");
    for entry in fs::read_dir(data).expect("a folder").flatten() {
        fs::set_permissions(entry.path(), Permissions::from_mode(file)).expect("ours");
    }
    fs::set_permissions(data, Permissions::from_mode(folder)).expect("ours");
}

#[test]
fn a_server_that_can_only_read_restarts_when_it_can_write() {
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("data");
    done(&["new", "one-page", "--id", "town"], &data);
    let is_root = fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    let as_nobody = if is_root {
        let mut give = Command::new("chown");
        let given = give.args(["-R", NOBODY]).arg(parent.path()).status();
        assert!(given.expect("it runs").success());
        format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups")
    } else {
        String::new()
    };
    let program = parent.path().join("quorate");
    let own = env!("CARGO_BIN_EXE_quorate");
    if fs::hard_link(own, &program).is_err() {
        fs::copy(own, &program).expect("the program");
    }
    let program = program.to_str().expect("a plain path");
    // The first word that follows is the program's own path, which not everybody can reach.
    let begin = format!("shift; exec {as_nobody} {program} \"$@\"");
    allow(&data, 0o500, 0o400);
    let mut server = Server::under(&["sh", "-c", &begin, "sh"], &data, &[]);
    assert!(server.status("/g/town").contains(" 200 "), "it can be read");
    allow(&data, 0o700, 0o600);
    // It says so once more where it is.
    server.hear();
    assert!(server.status("/g/town").contains(" 200 "));
    server.stop();
    assert_eq!(done(&["verify", "town"], &data)["holds"], true);
}
