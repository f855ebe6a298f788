//! Whoever fills the room that there is for bodies, over real connections.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use crate::served::{Served, folder, pause};

/// How many of the longest forms fit into what one address may have under way.
const FORMS: usize = 8;

/// The longest form, in bytes.
const FORM_BYTES: usize = 2 * 1024 * 1024;

/// How often it is tried to fill the room, and looked whether there is room again.
const TRIES: u32 = 20;

/// A form of which all has come but its last byte.
fn nearly_sent(address: &str) -> TcpStream {
    let mut line = TcpStream::connect(address).expect("the server answers");
    write!(
        line,
        "POST /sign-in HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {FORM_BYTES}\r\n\r\n"
    )
    .expect("it takes a request");
    let most = vec![b'x'; FORM_BYTES - 1];
    line.write_all(&most).expect("it takes what comes");
    line
}

#[test]
fn who_sends_more_than_there_is_room_for_is_told_when_there_may_be_room_again() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let dice = || {
        let body = "{\"line\": \"For luck: DICE6\"}";
        server.ask("POST", "/api/v1/games/town/dice", body)
    };
    let form = || {
        let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
        server
            .0
            .ask("POST", "/sign-in", kind, "name=Anna&password=nothing")
    };
    let full = || {
        let address = &server.0.address;
        let forms: Vec<TcpStream> = (0..FORMS).map(|_| nearly_sent(address)).collect();
        // Whoever asks before all of that has come takes the room of the last one.
        pause(Duration::from_millis(500));
        let (status, told) = dice();
        (status == 429).then_some((forms, told))
    };
    let (forms, told) = (0..TRIES).find_map(|_| full()).expect("a full room");
    assert!(told.contains("\"retry_after_seconds\":5"), "{told}");
    let (status, page) = form();
    assert_eq!(status, 429, "{page}");
    assert!(page.contains("try again in 5 s"), "{page}");
    let (status, page) = server.ask("GET", "/g/town/tracker", "");
    assert_eq!(status, 200, "whoever sends nothing needs no room: {page}");

    drop(forms);
    let is_free_again = (0..TRIES).any(|_| {
        pause(Duration::from_millis(100));
        dice().0 == 201
    });
    assert!(is_free_again, "{:?}", dice());
}
