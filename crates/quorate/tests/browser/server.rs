//! The real binary, over a data folder of its own.
#![allow(
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail"
)]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value as Json;

/// A server that ends with the test.
pub(crate) struct Server {
    process: Child,
    folder: PathBuf,
    /// Where it answers: `http://127.0.0.1:40123`.
    pub(crate) address: String,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Server {
    /// Starts one on a free port and waits until it answers.
    pub(crate) fn start() -> Self {
        let (mut server, said) = Self::run(&["serve"], "serving");
        said["serving"]
            .as_str()
            .unwrap()
            .clone_into(&mut server.address);
        server
    }

    /// Starts one with a game of every rulebook and some weeks of play behind each; gives the password of everybody there,
    /// and the names of the operator and of somebody else.
    pub(crate) fn with_demo() -> (Self, [String; 3]) {
        Self::demo(&["demo"])
    }

    /// The same, where accounts are made for those who were invited alone.
    pub(crate) fn with_demo_for_the_invited() -> (Self, [String; 3]) {
        Self::demo(&["demo", "--invited-only"])
    }

    /// Nobody reaches the server any more, as if the network were gone.
    pub(crate) fn is_lost(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// In place of the server, which nobody reaches, something answers all with 503 until it has been asked for this path.
    pub(crate) fn is_refused_until_asked_for(&self, path: &str) {
        let place = TcpListener::bind(self.address.trim_start_matches("http://")).unwrap();
        loop {
            let (line, _) = place.accept().unwrap();
            let mut asked = String::new();
            // Whoever says nothing asks for nothing.
            drop(BufReader::new(&line).read_line(&mut asked));
            let refusal = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            drop((&line).write_all(refusal.as_bytes()));
            if asked.starts_with(&format!("GET {path} ")) {
                return;
            }
        }
    }

    /// It is reached again where it was, over the same folder.
    pub(crate) fn is_back(&mut self) {
        let listen = self.address.trim_start_matches("http://");
        (self.process, _) = Self::begun(&["serve"], listen, &self.folder, "serving");
    }

    /// Marks an account as one of those who run the server, which does not run meanwhile.
    pub(crate) fn marks_operator(&self, name: &str) {
        let done = Command::new(env!("CARGO_BIN_EXE_quorate"))
            .args(["operator", name, "--data"])
            .arg(&self.folder)
            .stdout(Stdio::null())
            .status();
        assert!(done.unwrap().success());
    }

    /// A file of such a content on this machine, to be sent from a form.
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn demo(command: &[&str]) -> (Self, [String; 3]) {
        let (mut server, said) = Self::run(command, "games");
        let first = said["games"][0].as_str().unwrap();
        first
            .split("/g/")
            .next()
            .unwrap()
            .clone_into(&mut server.address);
        let logins = said["logins"].as_array().unwrap();
        let named = |operator: bool| {
            let found = logins.iter().find(|login| login["operator"] == operator);
            found.unwrap()["name"].as_str().unwrap().to_owned()
        };
        let password = said["password"].as_str().unwrap().to_owned();
        (server, [password, named(true), named(false)])
    }

    /// The process, and the line in which it says such a word; what it says besides may come before.
    fn run(command: &[&str], word: &str) -> (Self, Json) {
        let nth = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("quorate-browser-{}-{nth}", std::process::id()));
        let (process, said) = Self::begun(command, "127.0.0.1:0", &folder, word);
        let server = Self {
            process,
            folder,
            address: String::new(),
        };
        (server, said)
    }

    fn begun(command: &[&str], listen: &str, folder: &Path, word: &str) -> (Child, Json) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_quorate"))
            .args(command)
            .args(["--json", "--listen", listen, "--data"])
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let said = lines
            .map(|line| serde_json::from_str::<Json>(&line.unwrap()).unwrap())
            .find(|said| !said[word].is_null());
        (process, said.unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}
