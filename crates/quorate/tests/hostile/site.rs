//! A server under test: it is asked over HTTP, and its processes are looked at from outside.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// What a worker may use, in MiB, with what the program itself takes.
pub(crate) const WORKER_MIB: u64 = 512 + 64;

/// How often memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The program: this build's, or another that `QUORATE_PROGRAM` names.
pub(crate) fn program() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_BIN_EXE_quorate"));
    std::env::var_os("QUORATE_PROGRAM").map_or_else(own, PathBuf::from)
}

/// A server that goes with the test.
pub(crate) struct Site {
    process: Child,
    address: String,
}

/// What was answered, and how long it took.
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) took: Duration,
}

impl Said {
    /// Whether a worker was stopped over it.
    pub(crate) fn was_stopped(&self) -> bool {
        self.body.contains("was stopped")
    }
}

/// The most that was seen of a server and its workers, in MiB.
#[derive(Clone, Copy, Default)]
pub(crate) struct Memory {
    idle: u64,
    server: u64,
    pub(crate) worker: u64,
}

impl Memory {
    /// By how much the server grew.
    pub(crate) fn growth_mib(&self) -> u64 {
        self.server.saturating_sub(self.idle)
    }
}

/// Somebody who looks at memory until it is enough.
pub(crate) struct Watch {
    over: Arc<AtomicBool>,
    looking: std::thread::JoinHandle<Memory>,
}

impl Watch {
    pub(crate) fn end(self) -> Memory {
        self.over.store(true, Ordering::Relaxed);
        self.looking.join().expect("it looks to the end")
    }
}

/// Lets time pass: what is looked at is what others do meanwhile.
pub(crate) fn pause(time: Duration) {
    let (_nobody, says) = std::sync::mpsc::channel::<()>();
    assert!(says.recv_timeout(time).is_err(), "nobody says anything");
}

#[expect(clippy::disallowed_methods, reason = "times are told")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

impl Site {
    /// Starts one whose rule code runs in workers.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::with(&[], folder, &[])
    }

    /// The same, begun by another program, whose words come first, and with more flags.
    pub(crate) fn with(before: &[&str], folder: &Path, flags: &[&str]) -> Self {
        let own = program().into_os_string();
        let mut words = before.iter().map(Into::into).chain([own]);
        let mut serve = Command::new(words.next().expect("a program"));
        serve.args(words).args([
            "serve",
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--law",
            "workers",
        ]);
        serve
            .args(["--connections-per-address", "1000", "--data"])
            .arg(folder)
            .args(flags);
        // What cost a worker is told there, once for each.
        let mut process = serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let told = process.as_mut().map(|process| process.stdout.take());
        let told = told.expect("the server starts").expect("it is piped");
        let mut said = String::new();
        BufReader::new(told)
            .read_line(&mut said)
            .expect("it says where it is");
        let said: Json = serde_json::from_str(&said).expect("it says so in JSON");
        let address = said["serving"].as_str();
        let address = address.unwrap_or_else(|| panic!("it doesn't serve: {said}"));
        Self {
            address: address.trim_start_matches("http://").to_owned(),
            process: process.expect("the server starts"),
        }
    }

    /// Asks for something as whoever has a token.
    pub(crate) fn ask(&self, method: &str, path: &str, token: &str, body: &Json) -> Said {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let head = if token.is_empty() {
            String::new()
        } else {
            format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n")
        };
        let before = now();
        let mut line = self.line();
        write!(
            line,
            "{method} {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it takes a request");
        let mut answer = Vec::new();
        line.read_to_end(&mut answer).expect("a whole answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).expect("a status");
        Said {
            status: status.parse().expect("a number"),
            body: body.to_owned(),
            took: now() - before,
        }
    }

    /// A connection, for whoever does with it what nobody should.
    pub(crate) fn line(&self) -> TcpStream {
        TcpStream::connect(&self.address).expect("the server answers")
    }

    /// Looks at memory from now on.
    pub(crate) fn watch(&self) -> Watch {
        let (server, over) = (self.process.id(), Arc::new(AtomicBool::new(false)));
        let is_over = Arc::clone(&over);
        let looking = move || {
            let idle = resident_mib(server);
            let mut most = Memory {
                idle,
                ..Memory::default()
            };
            while !is_over.load(Ordering::Relaxed) {
                most.server = most.server.max(resident_mib(server));
                let workers = workers_of(server).into_keys().map(resident_mib);
                most.worker = most.worker.max(workers.max().unwrap_or(0));
                pause(LOOK_EVERY);
            }
            most
        };
        Watch {
            over,
            looking: std::thread::spawn(looking),
        }
    }

    /// How much of a core the server and its workers use, in hundredths, after a while.
    pub(crate) fn busy_after(&self, time: Duration) -> u64 {
        pause(time);
        let server = self.process.id();
        let at = || {
            let mut all = workers_of(server);
            all.insert(server, ticks(server).unwrap_or(0));
            all
        };
        let before = at();
        pause(Duration::from_secs(1));
        let after = at().into_iter();
        // A tick is a hundredth of a second.
        after
            .map(|(id, ticks)| ticks.saturating_sub(*before.get(&id).unwrap_or(&ticks)))
            .sum()
    }

    /// What the server and its workers take together in MiB, each page that several share counted once.
    pub(crate) fn proportional_mib(&self) -> u64 {
        let server = self.process.id();
        let all = workers_of(server).into_keys().chain([server]);
        let of = |id| kib_of(&format!("/proc/{id}/smaps_rollup"), "Pss:");
        all.map(of).sum::<u64>() / 1024
    }

    /// What the server itself takes, in MiB.
    pub(crate) fn server_mib(&self) -> u64 {
        resident_mib(self.process.id())
    }

    /// How many descriptors it has open.
    pub(crate) fn descriptors(&self) -> u64 {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.process.id()));
        open.map_or(0, |open| open.count() as u64)
    }

    /// How many threads it has.
    pub(crate) fn threads(&self) -> u64 {
        stat(self.process.id(), 17).unwrap_or(0)
    }

    /// Kills one of its workers.
    pub(crate) fn kill_worker(&self, nth: usize) {
        let workers = workers_of(self.process.id());
        let one = workers.keys().nth(nth % workers.len().max(1));
        if let Some(id) = one {
            // It may have ended by itself meanwhile.
            drop(
                Command::new("kill")
                    .args(["-KILL", &id.to_string()])
                    .status(),
            );
        }
    }

    /// Tells it to end; gives how long that took.
    pub(crate) fn end(mut self) -> Duration {
        let before = now();
        let id = self.process.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status();
        assert!(told.expect("it is told").success());
        let ended = self.process.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
        now() - before
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// How much memory a process has, in MiB; nothing where it is gone.
fn resident_mib(id: u32) -> u64 {
    kib_of(&format!("/proc/{id}/status"), "VmRSS:") / 1024
}

/// A number of kibibytes that the system keeps of a process; nothing where that is gone.
fn kib_of(file: &str, name: &str) -> u64 {
    let told = std::fs::read_to_string(file).unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The workers of a server, with their time of processors.
fn workers_of(server: u32) -> BTreeMap<u32, u64> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let own = ids.filter(|id| stat(*id, 1) == Some(u64::from(server)));
    own.filter_map(|id| Some((id, ticks(id)?))).collect()
}

/// How long a process has had processors, in hundredths of a second.
fn ticks(id: u32) -> Option<u64> {
    Some(stat(id, 11)? + stat(id, 12)?)
}

/// A number that the system keeps of a process, by its place after the name.
fn stat(id: u32, nth: usize) -> Option<u64> {
    let line = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = line.rsplit_once(") ")?;
    rest.split(' ').nth(nth)?.parse().ok()
}
