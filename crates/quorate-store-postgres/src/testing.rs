//! For tests: a private PostgreSQL server in a temporary folder, reached by a socket in it.

#![allow(clippy::expect_used, reason = "a test without its server fails")]

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::NodeOptions;

/// Set where a server must be there, so that no test passes because it did nothing.
pub const NEEDED: &str = "QUORATE_NEEDS_POSTGRES";

/// Where Debian's packages put each release.
const RELEASES: &str = "/usr/lib/postgresql";

/// Who runs the server where the tests run as root, whom it refuses.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// The port, which is part of the socket's name alone.
const PORT: &str = "5432";

/// A server of its own. It ends with the value.
pub struct PrivateServer {
    folder: TempDir,
    programs: PathBuf,
    /// Whose processes it has, where not one's own.
    user: Option<(u32, u32)>,
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        // Whether it had ended already does not matter.
        drop(self.control(&["stop", "-m", "immediate"]));
    }
}

impl PrivateServer {
    /// Starts one, or says on standard error that there is none on this machine.
    ///
    /// # Panics
    /// Where it must be there and is not, or does not start.
    pub fn start() -> Option<Self> {
        let server = Self::empty()?;
        server.run(
            "initdb",
            &[
                "-A",
                "trust",
                "-U",
                "quorate",
                "-E",
                "UTF8",
                "--locale=C",
                "-N",
                "-D",
            ],
            &server.data(),
        );
        server.configure(&[
            "max_connections = 200",
            "wal_level = replica",
            "max_wal_senders = 8",
            // A standby that was cut off finds what it missed.
            "wal_keep_size = 256MB",
        ]);
        server
            .control(&["start"])
            .expect("the private server starts");
        Some(server)
    }

    /// A standby of a server, to which the other sends all before it acknowledges anything. It reaches the other by that
    /// host and port.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn standby_of(primary: &Self, host: &str, port: &str) -> Self {
        let server = Self::empty().expect("where one server runs another does");
        let from = format!("host={host} port={port} user=quorate application_name=standby");
        server.run(
            "pg_basebackup",
            &["-R", "-X", "stream", "-c", "fast", "-d", &from, "-D"],
            &server.data(),
        );
        let socket = format!(
            "unix_socket_directories = '{}'",
            server.folder.path().display()
        );
        server.configure(&[&socket]);
        server.control(&["start"]).expect("the standby starts");
        primary.configure(&["synchronous_standby_names = 'standby'"]);
        primary
            .control(&["reload"])
            .expect("the primary reads its settings");
        server
    }

    fn empty() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os(NEEDED).is_none(),
                "there is no PostgreSQL server below {RELEASES}, and {NEEDED} is set"
            );
            eprintln!("skipped: there is no PostgreSQL server below {RELEASES}");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let is_root = fs::metadata(folder.path()).expect("it was just made").uid() == 0;
        let user = is_root.then(|| user().expect("a user who is not root"));
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).expect("root may");
        }
        Some(Self {
            folder,
            programs,
            user,
        })
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn configure(&self, lines: &[&str]) {
        let path = self.data().join("postgresql.auto.conf");
        let mut text = fs::read_to_string(&path).expect("a data folder has settings");
        let socket = format!(
            "unix_socket_directories = '{}'",
            self.folder.path().display()
        );
        for line in [socket.as_str(), "listen_addresses = ''"]
            .iter()
            .chain(lines)
        {
            text.push_str(line);
            text.push('\n');
        }
        fs::write(path, text).expect("the folder can be written");
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }

    fn run(&self, program: &str, arguments: &[&str], last: &Path) {
        let done = self.command(program).args(arguments).arg(last).output();
        let done = done.expect("the program is there");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{program}: {said}");
    }

    /// Has the server start, stop, reload or be promoted, and waits for that.
    fn control(&self, arguments: &[&str]) -> io::Result<()> {
        let log = self.folder.path().join("log");
        let done = self
            .command("pg_ctl")
            .args(["-w", "-s", "-t", "60", "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(&log)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if done.success() {
            return Ok(());
        }
        let told = fs::read_to_string(log).unwrap_or_default();
        Err(io::Error::other(format!("pg_ctl {arguments:?}: {told}")))
    }

    /// Ends it as a power cut would.
    ///
    /// # Panics
    /// Where it does not run.
    pub fn kill(&self) {
        self.control(&["stop", "-m", "immediate"])
            .expect("it runs until then");
    }

    /// Starts it again after it was killed.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn start_again(&self) {
        // One that was killed leaves this behind, and a system that keeps its dead takes it for alive.
        drop(fs::remove_file(self.data().join("postmaster.pid")));
        self.control(&["start"]).expect("it starts again");
    }

    /// Makes a standby the one that takes writes.
    ///
    /// # Panics
    /// Where it is none.
    pub fn promote(&self) {
        self.configure(&["synchronous_standby_names = ''"]);
        self.control(&["promote"])
            .expect("a standby can be promoted");
    }

    /// Whether its standby has all that it acknowledges.
    ///
    /// # Panics
    /// Where it cannot be asked.
    pub fn has_standby(&self) -> bool {
        let question = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        let mut command = self.command("psql");
        command.args(["-U", "quorate", "-d", "postgres", "-tAc", question, "-h"]);
        let answer = command.arg(self.folder.path()).output();
        let answer = answer.expect("the program is there").stdout;
        String::from_utf8_lossy(&answer).trim() == "1"
    }

    /// Sends a signal to all its processes, as `kill` has it.
    ///
    /// # Panics
    /// Where it does not run.
    pub fn signal(&self, signal: &str) {
        let first = self.process();
        let told = Command::new("kill").args([signal, &first]).status();
        assert!(told.expect("the program is there").success(), "{signal}");
        // One that ends meanwhile needs no signal.
        drop(Command::new("pkill").args([signal, "-P", &first]).status());
    }

    /// The number of its first process, of which the others are children.
    ///
    /// # Panics
    /// Where it does not run.
    pub fn process(&self) -> String {
        let told = fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        told.lines().next().unwrap_or_default().trim().to_owned()
    }

    /// The socket on which it listens.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(format!(".s.PGSQL.{PORT}"))
    }

    /// The host of the server, as an address has it.
    pub fn host(&self) -> String {
        let socket = self.folder.path().display().to_string();
        format!("{}:{PORT}", socket.replace('/', "%2F"))
    }

    /// The address of a database, made now.
    ///
    /// # Panics
    /// Where it cannot be made.
    pub fn fresh(&self, database: &str) -> String {
        let done = self
            .command("createdb")
            .args(["-U", "quorate", "-h"])
            .arg(self.folder.path())
            .arg(database)
            .status();
        assert!(done.expect("the program is there").success(), "{database}");
        self.address(database)
    }

    /// The address of a database.
    pub fn address(&self, database: &str) -> String {
        format!("postgres://quorate@{}/{database}", self.host())
    }
}

/// The address of a database on one of two servers.
pub fn pair_address(one: &PrivateServer, two: &PrivateServer, database: &str) -> String {
    format!(
        "postgres://quorate@{},{}/{database}",
        one.host(),
        two.host()
    )
}

/// A node of that name that takes no commands from others.
pub fn node(name: &str) -> NodeOptions {
    NodeOptions {
        name: name.to_owned(),
        address: String::new(),
        edition: 1,
        release: "of a test".to_owned(),
    }
}

/// The programs of the newest release that is installed.
fn programs() -> Option<PathBuf> {
    let releases = fs::read_dir(RELEASES).ok()?.flatten();
    let mut found: Vec<(u32, PathBuf)> = releases
        .filter_map(|release| {
            let number = release.file_name().to_str()?.parse().ok()?;
            let programs = release.path().join("bin");
            programs
                .join("initdb")
                .exists()
                .then_some((number, programs))
        })
        .collect();
    found.sort();
    found.pop().map(|(_, programs)| programs)
}

/// The numbers of somebody who is not root, and of their group.
fn user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    UNPRIVILEGED.iter().find_map(|name| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}
