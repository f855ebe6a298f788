//! A server under test: it is asked over HTTP, and its processes are looked at from outside.

#[path = "../running/mod.rs"]
pub(crate) mod running;

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use running::Server;

/// What a worker may use, in MiB, with what the program itself takes.
pub(crate) const WORKER_MIB: u64 = 512 + 64;

/// How often memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A server that goes with the test.
pub(crate) struct Site(Server);

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
        let own = ["--law", "workers", "--connections-per-address", "1000"];
        let flags: Vec<&str> = own.iter().chain(flags).copied().collect();
        // What cost a worker is told there, once for each.
        Self(Server::begun(before, folder, &flags, Stdio::null()))
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
        let (status, body) = self.0.ask(method, path, &head, &body);
        Said {
            status,
            body,
            took: now() - before,
        }
    }

    /// A connection, for whoever does with it what nobody should.
    pub(crate) fn line(&self) -> TcpStream {
        TcpStream::connect(&self.0.address).expect("the server answers")
    }

    /// Looks at memory from now on.
    pub(crate) fn watch(&self) -> Watch {
        let (server, over) = (self.0.number(), Arc::new(AtomicBool::new(false)));
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
        let server = self.0.number();
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
        let server = self.0.number();
        let all = workers_of(server).into_keys().chain([server]);
        let of = |id| kib_of(&format!("/proc/{id}/smaps_rollup"), "Pss:");
        all.map(of).sum::<u64>() / 1024
    }

    /// What the server itself takes, in MiB.
    pub(crate) fn server_mib(&self) -> u64 {
        resident_mib(self.0.number())
    }

    /// How many descriptors it has open.
    pub(crate) fn descriptors(&self) -> u64 {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.0.number()));
        open.map_or(0, |open| open.count() as u64)
    }

    /// How many threads it has.
    pub(crate) fn threads(&self) -> u64 {
        stat(self.0.number(), 17).unwrap_or(0)
    }

    /// Kills one of its workers.
    pub(crate) fn kill_worker(&self, nth: usize) {
        let workers = workers_of(self.0.number());
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
    pub(crate) fn end(self) -> Duration {
        let before = now();
        self.0.stop();
        now() - before
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
