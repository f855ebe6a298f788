//! The real binary, over a data folder of its own.
#![allow(
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail"
)]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
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
        let (mut server, said) = Self::run("serve", "serving");
        said["serving"]
            .as_str()
            .unwrap()
            .clone_into(&mut server.address);
        server
    }

    /// Starts one with a game of every rulebook and some weeks of play behind each; gives the password of everybody there,
    /// and the names of the operator and of somebody else.
    pub(crate) fn with_demo() -> (Self, [String; 3]) {
        let (mut server, said) = Self::run("demo", "games");
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
    fn run(command: &str, word: &str) -> (Self, Json) {
        let nth = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("quorate-browser-{}-{nth}", std::process::id()));
        let mut process = Command::new(env!("CARGO_BIN_EXE_quorate"))
            .args([command, "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let said = lines
            .map(|line| serde_json::from_str::<Json>(&line.unwrap()).unwrap())
            .find(|said| !said[word].is_null());
        let server = Self {
            process,
            folder,
            address: String::new(),
        };
        (server, said.unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}
