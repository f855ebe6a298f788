//! A server that is told to end is gone within five seconds, whatever its readers and its threads do.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long a server may take to end.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// Starts a server over a new folder; gives the address that it listens on.
fn serve(data: &std::path::Path) -> (Child, String) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_quorate"))
        .args(["serve", "--json", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut said = String::new();
    let told = server.stdout.take().expect("it is piped");
    BufReader::new(told)
        .read_line(&mut said)
        .expect("it says where it is");
    let said: serde_json::Value = serde_json::from_str(&said).expect("it says so in JSON");
    let address = said["serving"].as_str().expect("an address");
    (server, address.trim_start_matches("http://").to_owned())
}

#[test]
fn half_a_request_and_a_live_stream_hold_up_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new(env!("CARGO_BIN_EXE_quorate"))
        .args(["new", "one-page", "--id", "town", "--data"])
        .arg(folder.path())
        .status();
    assert!(made.expect("a game is made").success());
    let (mut server, address) = serve(folder.path());

    let mut half = TcpStream::connect(&address).expect("the server answers");
    write!(half, "POST /sign-in HTTP/1.1\r\nHost: {address}\r\n").expect("half a head");
    let mut stream = TcpStream::connect(&address).expect("the server answers");
    let ask = format!("GET /g/town/stream HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(ask.as_bytes()).expect("a whole head");
    let mut first = [0; 15];
    stream.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200 OK");

    let id = server.id().to_string();
    let told = Command::new("kill").args(["-TERM", &id]).status();
    assert!(told.expect("it is told").success());
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || ended.send(server.wait()));
    let Ok(end) = end.recv_timeout(GONE_WITHIN) else {
        let killed = Command::new("kill").args(["-KILL", &id]).status();
        panic!("the server is still there after {GONE_WITHIN:?}; killed: {killed:?}");
    };
    assert!(end.expect("it can be waited for").success());
}
