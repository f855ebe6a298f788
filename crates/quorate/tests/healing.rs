//! What kept a server from writing is gone, and it goes on by itself.
#![cfg(unix)]

mod running;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use running::{Server, asked, can_be_traced, done, refused};

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
        assert!(says.recv_timeout(HELD).is_err(), "nobody says anything");
        drop(lock);
    });
    let server = Server::start(&data);
    holding.join().expect("it lets go");
    assert!(server.status("/g/town").contains(" 200 "));
    let said = refused(&["new", "one-page", "--id", "village"], &data);
    assert!(said.contains("another process uses the data"), "{said}");
    server.stop();
}

/// Words that have a program run where `$1` is a disk of so much room that nobody else sees, and `more` was done there.
fn on_a_disk(room: &str, more: &str, disk: &str) -> Vec<String> {
    let mount = format!("mount -t tmpfs -o size={room} small \"$1\" || exit {NO_DISK}");
    let script = format!("{mount}; shift; {more} exec \"$@\"");
    let words = ["unshare", "-rm", "sh", "-c", &script, "sh", disk];
    words.map(str::to_owned).into()
}

/// How the words end where there can be no such disk.
const NO_DISK: i32 = 99;

/// Whether such disks can be made here.
fn can_have_disks(disk: &str) -> bool {
    let words = on_a_disk("64k", "", disk);
    let mut probe = Command::new(&words[0]);
    let can = probe.args(&words[1..]).arg("true").status();
    let can = can.is_ok_and(|ended| ended.success());
    if !can {
        eprintln!("no disk of its own here, so none was full");
    }
    can
}

#[test]
fn a_start_over_a_full_disk_is_told_as_such_and_heals() {
    let parent = tempfile::tempdir().expect("a folder");
    let disk = parent.path().to_str().expect("a plain path");
    if !can_have_disks(disk) {
        return;
    }
    let (own, data) = (env!("CARGO_BIN_EXE_quorate"), parent.path().join("data"));
    let words = on_a_disk("64k", "", disk);
    let mut new = Command::new(&words[0]);
    new.args(&words[1..]).args([own, "serve", "--listen"]);
    let new = new.args(["127.0.0.1:0", "--data"]).arg(&data).output();
    let new = new.expect("it runs");
    let said = String::from_utf8_lossy(&new.stderr).into_owned();
    let says = said.contains("the disk is full") && said.contains("make room, then try again");
    assert!(says && said.trim().lines().count() == 1, "{said}");
    assert!(!new.status.success());

    let found = format!("{own} new one-page --id town --data {disk}/data > {disk}/said;");
    let fill = format!("dd if=/dev/zero of={disk}/rest bs=1k 2> {disk}/said;");
    // Whoever had the file open leaves SQLite's notes beside it, or takes them along.
    let taken = format!("rm -f {disk}/data/quorate.db-shm {disk}/data/quorate.db-wal;");
    for notes in ["", &taken] {
        let words = on_a_disk("8M", &format!("{found} {notes} {fill}"), disk);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut server = Server::under(&words, &data, &WATCHED);
        assert!(server.status("/g/town").contains(" 200 "), "it can be read");
        let ready = readiness(&server);
        let says = ready.contains(" 503 ") && ready.contains("the disk is full");
        assert!(says, "{ready}");
        let rest = format!("/proc/{}/root{disk}/rest", server.id());
        fs::remove_file(rest).expect("there is room again");
        server.hear();
        let ready = readiness(&server);
        assert!(ready.contains(" 200 "), "{ready}");
        server.stop();
    }
}

/// Founds a game in a new folder, with a fault of one sync if one is told; gives which calls there were, in order.
fn founded_with(fault: Option<usize>, data: &Path) -> Vec<String> {
    let noted = data.with_extension("noted");
    let mut new = Command::new("strace");
    new.args(["-f", "-qq", "-e", "trace=fsync,/^rename", "-o"]);
    new.arg(&noted);
    if let Some(nth) = fault {
        new.args(["-e", &format!("inject=fsync:error=EIO:when={nth}")]);
    }
    new.args([env!("CARGO_BIN_EXE_quorate"), "new", "one-page"]);
    let ran = new.args(["--id", "town", "--data"]).arg(data).output();
    let ran = ran.expect("it runs");
    assert_eq!(ran.status.success(), fault.is_none(), "{ran:?}");
    let noted = fs::read_to_string(noted).expect("the tracer notes");
    noted.lines().map(str::to_owned).collect()
}

#[test]
fn a_new_store_that_could_not_be_synced_is_made_again() {
    if !can_be_traced() {
        return;
    }
    let parent = tempfile::tempdir().expect("a folder");
    let calls = founded_with(None, &parent.path().join("well"));
    let made = calls
        .iter()
        .position(|call| call.contains("quorate.db.new"));
    let calls = &calls[..made.expect("it is made beside its place")];
    let syncs = calls.iter().filter(|call| call.contains("fsync(")).count();
    // The last ones put the file into the state in which it comes to its place.
    for nth in syncs - 2..=syncs {
        let data = parent.path().join(format!("sync-{nth}"));
        founded_with(Some(nth), &data);
        done(&["new", "one-page", "--id", "village"], &data);
        assert_eq!(done(&["verify", "village"], &data)["holds"], true);
    }
}
