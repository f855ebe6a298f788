//! What a node takes for its machine: a network of its own where the system allows that, and a clock that can be wrong.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The network of a run: a bridge of this system, on which each node has a system of its own.
pub(crate) struct Network {
    bridge: String,
    /// The first three numbers of all addresses.
    prefix: String,
}

/// The network of one node.
pub(crate) struct Namespace {
    name: String,
    /// Its address.
    pub(crate) address: String,
    /// The address of everybody else.
    pub(crate) others: String,
}

/// Runs `ip`. False where it is not there or says no.
fn ip(arguments: &[&str]) -> bool {
    let mut command = Command::new("ip");
    command.args(arguments).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Network {
    /// Makes one, or says on standard error that there is none to be had.
    pub(crate) fn make() -> Option<Self> {
        let id = std::process::id();
        let network = Self {
            bridge: format!("qr{id}"),
            prefix: format!("10.{}.{}", 128 + (id >> 8) % 127, id % 256),
        };
        let address = format!("{}.1/24", network.prefix);
        let bridge = &network.bridge;
        let is_made = ip(&["link", "add", bridge, "type", "bridge"])
            && ip(&["address", "add", &address, "dev", bridge])
            && ip(&["link", "set", bridge, "up"]);
        if is_made {
            return Some(network);
        }
        eprintln!(
            "no networks of their own for nodes: only root can make them, with ip; their links can still be cut"
        );
        None
    }

    /// The address of everybody who is not in a namespace.
    pub(crate) fn address(&self) -> String {
        format!("{}.1", self.prefix)
    }

    /// The network of the node of that number.
    pub(crate) fn join(&self, nth: usize) -> Namespace {
        let bridge = &self.bridge;
        let name = format!("{bridge}n{nth}");
        let address = format!("{}.{}", self.prefix, 10 + nth);
        let (near, far) = (format!("{bridge}v{nth}"), format!("{bridge}w{nth}"));
        let in_it = ["-n", &name];
        let own = format!("{address}/24");
        let steps: [&[&str]; 6] = [
            &["netns", "add", &name],
            &[
                "link", "add", &near, "type", "veth", "peer", "name", &far, "netns", &name,
            ],
            &["link", "set", &near, "master", bridge, "up"],
            &[&in_it[..], &["address", "add", &own, "dev", &far]].concat(),
            &[&in_it[..], &["link", "set", &far, "up"]].concat(),
            &[&in_it[..], &["link", "set", "lo", "up"]].concat(),
        ];
        for step in steps {
            assert!(ip(step), "ip {step:?}");
        }
        Namespace {
            name,
            address,
            others: self.address(),
        }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        ip(&["link", "delete", &self.bridge]);
    }
}

impl Namespace {
    /// A program in it.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(program);
        command
    }

    /// Loses everything that the node sends, everything that is sent to it, or both; or neither any more.
    pub(crate) fn lose(&self, sent: bool, received: bool) {
        let everybody = format!("{}/32", self.others);
        let node = format!("{}/32", self.address);
        let told = |is_lost: bool| if is_lost { "replace" } else { "delete" };
        ip(&[
            "-n",
            &self.name,
            "route",
            told(sent),
            "blackhole",
            &everybody,
        ]);
        ip(&["route", told(received), "blackhole", &node]);
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.lose(false, false);
        ip(&["netns", "delete", &self.name]);
    }
}

/// The clock of a node.
pub(crate) struct Clock {
    library: PathBuf,
    path: PathBuf,
    file: File,
}

impl Clock {
    /// A clock that is right. None where the C compiler is missing that the test makes it with.
    pub(crate) fn new(folder: &Path, node: &str) -> Option<Self> {
        let library = folder.join("skew.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nodes/skew.c");
        if !library.exists() {
            let mut compiler = Command::new("cc");
            compiler.args(["-shared", "-fPIC", "-O1", "-o"]);
            let made = compiler.arg(&library).arg(source).status();
            if !made.is_ok_and(|status| status.success()) {
                eprintln!("the clocks of nodes are right: there is no C compiler");
                return None;
            }
        }
        let path = folder.join(format!("{node}.skew"));
        let file = File::create(&path).unwrap();
        let mut clock = Self {
            library,
            path,
            file,
        };
        clock.set(0);
        Some(clock)
    }

    /// Has a program go by this clock.
    pub(crate) fn rule(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library);
        command.env("QUORATE_TEST_SKEW", &self.path);
    }

    /// Sets it so many seconds ahead of the right time.
    pub(crate) fn set(&mut self, seconds: i64) {
        self.file.seek(SeekFrom::Start(0)).unwrap();
        let ahead = seconds * 1_000_000_000;
        self.file.write_all(&ahead.to_le_bytes()).unwrap();
    }
}
