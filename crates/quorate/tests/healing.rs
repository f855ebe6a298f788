//! What kept a server from writing is gone, and it goes on by itself.
#![cfg(unix)]

mod running;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use running::{Server, asked, done, refused};

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

/// Somebody watches.
const WATCHED: [&str; 2] = ["--metrics-listen", "127.0.0.1:0"];

/// Whether a server says that it can work, at once.
fn readiness(server: &Server) -> String {
    let address = server.said["metrics"].as_str().expect("an address");
    asked(address.trim_start_matches("http://"), "/readyz")
}

#[test]
fn a_server_that_can_only_read_restarts_when_it_can_write() {
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("data");
    done(&["new", "one-page", "--id", "town"], &data);
    // It was up a moment ago, and could write.
    Server::start(&data).stop();
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
    let mut server = Server::under(&["sh", "-c", &begin, "sh"], &data, &WATCHED);
    assert!(server.status("/g/town").contains(" 200 "), "it can be read");
    let ready = readiness(&server);
    let says = ready.contains(" 503 ") && ready.contains("cannot be written: give this user");
    assert!(says, "{ready}");
    allow(&data, 0o700, 0o600);
    // It says so once more where it is.
    server.hear();
    assert!(server.status("/g/town").contains(" 200 "));
    let ready = readiness(&server);
    assert!(ready.contains(" 200 "), "{ready}");
    server.stop();
    assert_eq!(done(&["verify", "town"], &data)["holds"], true);
}

/// How long a folder is held by what a killed server left behind.
const HELD: Duration = Duration::from_millis(400);

#[test]
fn a_server_starts_as_soon_as_its_folder_is_free() {
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("data");
    done(&["new", "one-page", "--id", "town"], &data);
    let lock = fs::File::open(data.join("lock")).expect("the lock");
    lock.lock().expect("nobody holds it");
    let (_nobody, says) = std::sync::mpsc::channel::<()>();
    let holding = std::thread::spawn(move || {
        drop(says.recv_timeout(HELD));
        drop(lock);
    });
    let server = Server::start(&data);
    holding.join().expect("it lets go");
    assert!(server.status("/g/town").contains(" 200 "));
    let said = refused(&["new", "one-page", "--id", "village"], &data);
    assert!(said.contains("another process uses the data"), "{said}");
    server.stop();
}
