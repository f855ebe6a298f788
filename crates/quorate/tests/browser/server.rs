//! The real binary, over a data folder of its own.
#![allow(
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail"
)]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

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
        let nth = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("quorate-browser-{}-{nth}", std::process::id()));
        let mut process = Command::new(env!("CARGO_BIN_EXE_quorate"))
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(&folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let said: serde_json::Value = serde_json::from_str(&line).unwrap();
        let address = said["serving"].as_str().unwrap().to_owned();
        Self {
            process,
            folder,
            address,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}
