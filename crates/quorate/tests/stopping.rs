//! A server that is told to end is gone within five seconds, whatever its readers and its threads do.
#![cfg(unix)]

mod running;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use running::{Server, done};

/// How long a server may take to end.
const GONE_WITHIN: Duration = Duration::from_secs(5);

#[test]
fn half_a_request_and_a_live_stream_hold_up_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    done(&["new", "one-page", "--id", "town"], folder.path());
    let server = Server::start(folder.path());
    let address = server.address.clone();

    let mut half = TcpStream::connect(&address).expect("the server answers");
    write!(half, "POST /sign-in HTTP/1.1\r\nHost: {address}\r\n").expect("half a head");
    let mut stream = TcpStream::connect(&address).expect("the server answers");
    let ask = format!("GET /g/town/stream HTTP/1.1\r\nHost: {address}\r\n\r\n");
    stream.write_all(ask.as_bytes()).expect("a whole head");
    let mut first = [0; 15];
    stream.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200 OK");

    let id = server.id();
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        server.stop();
        ended.send(()).expect("somebody waits for it");
    });
    if end.recv_timeout(GONE_WITHIN).is_err() {
        let killed = Command::new("kill").args(["-KILL", &id]).status();
        panic!("the server did not end well within {GONE_WITHIN:?}; killed: {killed:?}");
    }
}
