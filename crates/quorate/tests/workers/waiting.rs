//! Whoever waits for a worker that does not answer, and whoever waits behind them.
//!
//! A worker that says nothing more is as one whose code goes on for ever, whatever the code.

use std::io::Write;
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::Duration;

use crate::served::{OTHER_TOKEN, Served, TOKEN, draft, folder, pause, signal};

/// Where previews are asked for.
const PREVIEW: &str = "/api/v1/games/town/preview";

#[test]
fn a_preview_that_does_not_end_is_stopped_and_the_next_one_is_answered() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let preview = |server: &Served| server.ask("POST", PREVIEW, &draft());
    let workers = frozen(&server);
    let (status, stopped) = preview(&server);
    assert_eq!(status, 503, "{stopped}");
    assert!(stopped.contains("took longer than 3 seconds"), "{stopped}");
    let (status, page) = server.ask("GET", "/api/v1/games/town/rules", "");
    assert_eq!(status, 200, "pages have workers of their own: {page}");
    let (status, after) = preview(&server);
    assert_eq!(status, 200, "{after}");
    let left = server.workers("previews");
    assert!(workers.iter().all(|id| !left.contains(id)), "it is killed");
}

/// Stops the workers of previews; gives their numbers.
fn frozen(server: &Served) -> Vec<String> {
    // What the server asks of its own accord as it starts is over by then.
    let (status, said) = server.ask("POST", PREVIEW, &draft());
    assert_eq!(status, 200, "{said}");
    pause(Duration::from_millis(500));
    let workers = server.workers("previews");
    assert!(!workers.is_empty(), "previews have workers");
    for id in &workers {
        signal("-STOP", id);
    }
    workers
}

#[test]
fn a_preview_whose_reader_went_away_is_stopped() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let workers = frozen(&server);
    let mut reader = TcpStream::connect(&server.0.address).expect("the server answers");
    let body = draft();
    write!(
        reader,
        "POST {PREVIEW} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("it takes a request");
    pause(Duration::from_millis(300));
    drop(reader);
    // Sooner than its time of three seconds is over.
    let gone = (0..20).any(|_| {
        pause(Duration::from_millis(100));
        let left = server.workers("previews");
        !workers.iter().any(|id| left.contains(id))
    });
    assert!(gone, "the worker goes on for nobody");
    let (status, after) = server.ask("POST", PREVIEW, &draft());
    assert_eq!(status, 200, "{after}");
}

#[test]
fn where_a_reader_went_away_another_worker_is_ready_for_the_next() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let page = "/g/town/tracker";
    let (status, said) = server.ask("GET", page, "");
    assert_eq!(status, 200, "{said}");
    pause(Duration::from_millis(500));
    let workers = server.workers("pages");
    assert!(!workers.is_empty(), "pages have workers");
    for id in &workers {
        signal("-STOP", id);
    }
    let mut reader = TcpStream::connect(&server.0.address).expect("the server answers");
    let ask = format!("GET {page}?n=1 HTTP/1.1\r\nHost: h\r\n\r\n");
    reader.write_all(ask.as_bytes()).expect("it is asked");
    pause(Duration::from_millis(200));
    assert_eq!(server.workers("pages"), workers, "one of these has it");
    drop(reader);
    // Nobody asks for anything meanwhile.
    let is_ready = (0..20).any(|_| {
        pause(Duration::from_millis(100));
        let left = server.workers("pages");
        left.iter().any(|id| !workers.contains(id))
    });
    assert!(is_ready, "there is none: {:?}", server.workers("pages"));
}

#[test]
fn of_one_accounts_previews_one_runs_at_a_time_and_another_account_comes_in_between() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    frozen(&server);
    let (ended, ends) = mpsc::channel();
    std::thread::scope(|scope| {
        let server = &server;
        let ask = |token: &'static str, nth: usize| {
            let ended = ended.clone();
            scope.spawn(move || {
                let (status, said) = server.ask_as(token, "POST", PREVIEW, &draft());
                ended
                    .send((token, nth, status, said))
                    .expect("somebody counts");
            });
            pause(Duration::from_millis(50));
        };
        // The first waits for a worker that does not answer, seven for the first, and two too many for nothing.
        (0..10).for_each(|nth| ask(TOKEN, nth));
        ask(OTHER_TOKEN, 0);
    });
    drop(ended);
    let ends: Vec<_> = ends.iter().collect();
    let refused = ends.iter().take(2);
    for (token, _, status, said) in refused {
        assert_eq!((*token, *status), (TOKEN, 429), "{said}");
        assert!(said.contains("too many"), "{said}");
    }
    let place = |wanted: (&str, usize)| {
        let of = |end: &(&str, usize, u16, String)| (end.0, end.1) == wanted;
        ends.iter().position(of).expect("it has ended")
    };
    assert!(place((TOKEN, 0)) < place((OTHER_TOKEN, 0)), "{ends:?}");
    assert!(place((OTHER_TOKEN, 0)) < place((TOKEN, 1)), "{ends:?}");
}

#[test]
fn a_server_ends_though_its_workers_answer_nobody() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    for kind in ["previews", "pages", "judges"] {
        for id in server.workers(kind) {
            signal("-STOP", &id);
        }
    }
    let (address, ended) = (server.0.address.clone(), mpsc::channel());
    let body = "{\"line\": \"DICE6\"}";
    for (method, path, body) in [
        ("POST", PREVIEW, draft()),
        ("GET", "/g/town/tracker", String::new()),
        ("POST", "/api/v1/games/town/dice", body.to_owned()),
    ] {
        let mut line = TcpStream::connect(&address).expect("the server answers");
        write!(
            line,
            "{method} {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it takes a request");
        // Whoever asked waits, and does not go away.
        std::mem::forget(line);
    }
    pause(Duration::from_millis(200));
    let id = server.0.id();
    std::thread::spawn(move || {
        server.0.end();
        ended.0.send(()).expect("somebody waits for it");
    });
    if ended.1.recv_timeout(Duration::from_secs(5)).is_err() {
        signal("-KILL", &id);
        panic!("the server did not end within five seconds");
    }
}
