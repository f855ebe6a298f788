//! What readers see, whichever node they ask.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::cluster::{Cluster, NoAnswer, roll};
use super::run::now;
use super::{GAMES, NODES};

/// How long word of an event may take.
const TOLD_WITHIN: Duration = Duration::from_secs(15);

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

/// How often an account may write at once, and how many seconds it waits for one more.
const BURST: u64 = 60;
const ONE_MORE_SECONDS: u64 = 2;

#[test]
fn what_an_account_writes_counts_on_all_nodes_together() {
    let Some(cluster) = Cluster::start(2) else {
        return;
    };
    let tokens = cluster.found(&GAMES[..1]);
    let begun = now();
    let mut kept = 0;
    for nth in 0..100 {
        let site = &cluster.nodes[nth % 2].site;
        match roll(site, GAMES[0], &tokens[0], &format!("write {nth}")) {
            Ok(_) => kept += 1,
            Err(NoAnswer::Said(429, _)) => break,
            Err(NoAnswer::Gone | NoAnswer::Said(..)) => panic!("it is answered"),
        }
    }
    let most = BURST + (now() - begun).as_secs() / ONE_MORE_SECONDS + 1;
    assert!((BURST..=most).contains(&kept), "{kept} of {most}");
}
