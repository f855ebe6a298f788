//! A service that speaks S3, with one empty bucket. It goes with the test.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Names the program, which is `moto_server`. With it tests fail where that is not there, without it they do nothing then.
const PROGRAM: &str = "QUORATE_S3";

/// How often it is looked at, and how often at most, until it answers.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS: usize = 1_200;

pub(crate) struct Service {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Service {
    /// Starts one, or says on standard error that there is none.
    pub(crate) fn start() -> Option<Self> {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = free.local_addr().expect("an address");
        drop(free);
        Self::at(address)
    }

    /// The same at an address.
    pub(crate) fn at(address: SocketAddr) -> Option<Self> {
        let named = std::env::var_os(PROGRAM);
        let program = named.clone().unwrap_or_else(|| "moto_server".into());
        let port = address.port().to_string();
        let started = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", &port])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = started else {
            assert!(named.is_none(), "{PROGRAM} names no program");
            eprintln!("skipped: no moto_server is here to speak S3");
            return None;
        };
        let service = Self { process, address };
        let (_nobody, says) = std::sync::mpsc::channel::<()>();
        let is_up = (0..LOOKS).any(|_| {
            let made = service.asked("PUT", "/bucket");
            made.is_some_and(|said| said.contains(" 200 ")) || {
                let waited = says.recv_timeout(LOOK_EVERY);
                waited.is_ok()
            }
        });
        assert!(is_up, "the service starts");
        Some(service)
    }

    /// What it answers to somebody without keys.
    fn asked(&self, method: &str, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        let ask = format!(
            "{method} {path} HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(ask.as_bytes()).ok()?;
        let mut said = String::new();
        stream.read_to_string(&mut said).ok()?;
        Some(said)
    }

    /// The names that begin so in its bucket, as it lists them.
    pub(crate) fn names(&self, beginning: &str) -> Vec<String> {
        let path = format!("/bucket?list-type=2&prefix={beginning}");
        let listed = self.asked("GET", &path).unwrap_or_default();
        let keys = listed.split("<Key>").skip(1);
        let names = keys.filter_map(|key| key.split_once("</Key>"));
        names.map(|(name, _)| name.to_owned()).collect()
    }
}
