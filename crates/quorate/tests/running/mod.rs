//! A program under test, and a server that goes with it.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};

use serde_json::Value as Json;

fn quorate(words: &[&str], data: &Path) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_quorate"));
    program.args(words).arg("--json").arg("--data").arg(data);
    program.output().expect("the program runs")
}

/// The program that serves: this build's, or another that `QUORATE_PROGRAM` names.
pub(crate) fn program() -> PathBuf {
    let own = || PathBuf::from(env!("CARGO_BIN_EXE_quorate"));
    std::env::var_os("QUORATE_PROGRAM").map_or_else(own, PathBuf::from)
}

/// What a command says that succeeds.
pub(crate) fn done(words: &[&str], data: &Path) -> Json {
    let output = quorate(words, data);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said} {wrong}");
    serde_json::from_str(said.trim()).expect("it says so in JSON")
}

/// What a command that fails says.
pub(crate) fn refused(words: &[&str], data: &Path) -> String {
    let output = quorate(words, data);
    assert!(!output.status.success(), "{words:?}");
    let said = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&said).into_owned()
}

/// Whether faults can be put into a server here.
pub(crate) fn can_be_traced() -> bool {
    let mut probe = Command::new("strace");
    probe.args(["-f", "-e", "inject=getppid:error=EIO", "true"]);
    let can = probe.output().is_ok_and(|tried| tried.status.success());
    if !can {
        eprintln!("no strace here, so no fault was put in");
    }
    can
}

/// A server that goes with the test.
pub(crate) struct Server {
    process: Child,
    told: BufReader<ChildStdout>,
    /// Where it listens.
    pub(crate) address: String,
    /// What it said when it began.
    pub(crate) said: Json,
}

impl Server {
    /// Starts one over a data folder.
    pub(crate) fn start(data: &Path) -> Self {
        Self::with(data, &[])
    }

    /// The same with more flags.
    pub(crate) fn with(data: &Path, flags: &[&str]) -> Self {
        Self::under(&[], data, flags)
    }

    /// The same, begun by another program, whose words come first.
    pub(crate) fn under(before: &[&str], data: &Path, flags: &[&str]) -> Self {
        Self::begun(before, data, flags, Stdio::inherit())
    }

    /// The same, and where it tells what goes wrong.
    pub(crate) fn begun(before: &[&str], data: &Path, flags: &[&str], wrong: Stdio) -> Self {
        let own = program().into_os_string();
        let mut words = before.iter().map(Into::into).chain([own]);
        let mut process = Command::new(words.next().expect("a program"))
            .args(words)
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(wrong)
            .spawn()
            .expect("the server starts");
        let told = process.stdout.take().expect("it is piped");
        let mut server = Self {
            process,
            told: BufReader::new(told),
            address: String::new(),
            said: Json::Null,
        };
        server.hear();
        server
    }

    /// Waits until it says where it is, as it does when it starts, and when it restarts by itself.
    pub(crate) fn hear(&mut self) {
        let mut said = String::new();
        self.told.read_line(&mut said).expect("it says where it is");
        self.said = serde_json::from_str(&said).expect("it says so in JSON");
        let address = self.said["serving"].as_str();
        let address = address.unwrap_or_else(|| panic!("it doesn't serve: {}", self.said));
        self.address = address.trim_start_matches("http://").to_owned();
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> String {
        self.number().to_string()
    }

    /// The same as a number.
    pub(crate) fn number(&self) -> u32 {
        self.process.id()
    }

    /// Asks for something, with lines of its own in the head; gives the status and what was answered.
    pub(crate) fn ask(&self, method: &str, path: &str, head: &str, body: &str) -> (u16, String) {
        let mut line = TcpStream::connect(&self.address).expect("the server answers");
        write!(
            line,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{head}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .expect("it takes a request");
        let mut answer = Vec::new();
        line.read_to_end(&mut answer).expect("a whole answer");
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).expect("a status");
        (status.parse().expect("a number"), body.to_owned())
    }

    /// The first line of an answer.
    pub(crate) fn status(&self, path: &str) -> String {
        let said = asked(&self.address, path);
        said.lines().next().unwrap_or_default().to_owned()
    }

    /// Tells it to end, and waits until it has.
    pub(crate) fn stop(self) {
        assert!(self.end().success());
    }

    /// The same with a server that may find that something went wrong: how it ended.
    pub(crate) fn end(mut self) -> ExitStatus {
        let told = Command::new("kill").args(["-TERM", &self.id()]).status();
        assert!(told.expect("it is told").success());
        self.process.wait().expect("it ends")
    }

    /// Kills it.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("it is there");
        self.process.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A whole answer, head and body.
pub(crate) fn asked(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server answers");
    let ask = format!("GET {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).expect("it is asked");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("it answers");
    said
}
