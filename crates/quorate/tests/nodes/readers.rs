//! What readers see, whichever node they ask.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::cluster::{Cluster, head, roll};
use super::run::pause;
use super::{GAMES, NODES};

/// How long word of an event may take.
const TOLD_WITHIN: Duration = Duration::from_secs(15);

/// How late answers of the database are on a slow link.
const LATE: Duration = Duration::from_millis(500);

/// A stream of a game on a node, from here on.
fn stream(site: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(site).unwrap();
    stream.set_read_timeout(Some(TOLD_WITHIN)).unwrap();
    let game = GAMES[0];
    write!(
        stream,
        "GET /g/{game}/stream HTTP/1.1\r\nHost: {site}\r\n\r\n"
    )
    .unwrap();
    BufReader::new(stream)
}

/// Reads on until an event is told.
fn until_told(stream: &mut BufReader<TcpStream>, seq: u64) {
    let told = format!("id: {seq}");
    let mut lines = stream.lines();
    let is_told = lines.any(|line| line.expect("word of it comes in time") == told);
    assert!(is_told, "the stream ends before event {seq}");
}

#[test]
fn live_streams_tell_of_what_any_node_wrote() {
    let Some(cluster) = Cluster::start(NODES) else {
        return;
    };
    let tokens = cluster.found(&GAMES[..1]);
    let sites = cluster.nodes.iter().map(|node| node.site.as_str());
    let mut streams: Vec<_> = sites.clone().map(stream).collect();
    for stream in &mut streams {
        // What there was is told first, so that nothing is missed from here on.
        until_told(stream, 1);
    }
    for (nth, site) in sites.enumerate() {
        let seq = roll(site, GAMES[0], &tokens[0], &format!("by {nth}")).unwrap();
        for stream in &mut streams {
            until_told(stream, seq);
        }
    }
}

/// The end of the log as one node shows it, once it answers.
fn end(site: &str) -> u64 {
    let mut asked = (0..100).filter_map(|_| head(site, GAMES[0]).ok());
    asked.next().expect("the node answers").0
}

#[test]
fn an_owner_that_was_not_told_of_its_own_events_shows_nothing_older_than_others_do() {
    let Some(cluster) = Cluster::start(2) else {
        return;
    };
    let token = &cluster.found(&GAMES[..1])[0];
    let [owner, other] = [0, 1].map(|nth| cluster.nodes[nth].site.as_str());
    roll(owner, GAMES[0], token, "begins").unwrap();
    let before = end(owner);
    let databases = &cluster.nodes[0].databases[0];
    std::thread::scope(|scope| {
        // What the owner asks gets through at once, and answers come late.
        databases.slow(Duration::ZERO, LATE);
        let sending = scope.spawn(|| roll(owner, GAMES[0], token, "on its way"));
        let mut looks = (0..2_000).map(|_| {
            pause(Duration::from_millis(10));
            end(other)
        });
        assert!(looks.any(|end| end > before), "the event is there");
        assert!(end(owner) > before, "the owner goes back");
        databases.slow(Duration::ZERO, Duration::ZERO);
        sending.join().unwrap().unwrap();
    });
}
