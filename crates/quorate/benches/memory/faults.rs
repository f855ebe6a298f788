//! What goes wrong all the time: a disk that fails or waits now and then, workers that are killed, readers who don't do as they should.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::Counts;
use crate::scene::{OPERATOR, QUIET, Scene};
use crate::site::{Site, pause};

/// Which calls of the system fail or wait, and how often: each counts for itself. No sync fails, for after that nothing is
/// written until the server is started again.
const FAULTS: [&str; 3] = [
    "inject=pwrite64:error=ENOSPC:when=1000+1501",
    "inject=fsync:delay_enter=500000:when=50+51",
    "inject=pread64:error=EIO:when=2000+2003",
];

/// A server into which faults are put, where `strace` can do that.
pub(crate) fn site(folder: &Path) -> Site {
    let mut probe = Command::new("strace");
    probe.args(["-f", "-e", "inject=getppid:error=EIO", "true"]);
    if !probe.output().is_ok_and(|tried| tried.status.success()) {
        eprintln!("no strace here, so the disk doesn't fail");
        return Site::start(folder);
    }
    // The tracer goes aside, so that the server is our own child; what it says goes nowhere.
    let mut words = vec![
        "strace",
        "-D",
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-o",
        "/dev/null",
    ];
    words.extend(["-e", "trace=pwrite64,fsync,pread64"]);
    words.extend(FAULTS.iter().flat_map(|fault| ["-e", fault]));
    Site::with(&words, folder, &[])
}

/// A line that was asked for something.
fn asking(site: &Site, path: &str, headers: &str) -> TcpStream {
    let mut line = site.line();
    // Whoever is refused a connection at once can't send.
    drop(write!(line, "GET {path} HTTP/1.1\r\nHost: h\r\n{headers}"));
    line
}

/// Twenty half heads at once, which nobody ends.
pub(crate) fn half_heads(site: &Site, _: &Scene, _: &Counts, _: u64) {
    let lines: Vec<TcpStream> = (0..20).map(|_| asking(site, "/", "Accept: ")).collect();
    pause(Duration::from_secs(5));
    drop(lines);
}

/// A whole game, compressed or not, of which some is read slowly, and half of the times no more.
pub(crate) fn slow_readers(site: &Site, _: &Scene, _: &Counts, nth: u64) {
    let codings = ["gzip", "br", "zstd", "identity"];
    let coding = codings[usize::try_from(nth).unwrap() % codings.len()];
    let path = format!("/api/v1/games/{QUIET}/export");
    let headers = format!(
        "Authorization: Bearer {OPERATOR}\r\nAccept-Encoding: {coding}\r\nConnection: close\r\n\r\n"
    );
    let mut line = asking(site, &path, &headers);
    let mut some = [0; 1024];
    for _ in 0..10 {
        pause(Duration::from_millis(200));
        drop(line.read(&mut some));
    }
    if nth.is_multiple_of(2) {
        drop(line.read_to_end(&mut Vec::new()));
    }
    pause(Duration::from_secs(10));
}

/// A live stream that is left soon.
pub(crate) fn streams(site: &Site, _: &Scene, _: &Counts, _: u64) {
    let mut line = asking(site, &format!("/g/{QUIET}/stream"), "\r\n");
    drop(line.read(&mut [0; 1024]));
    pause(Duration::from_secs(1));
}

/// A worker that is killed, in the middle of something or not.
pub(crate) fn kills(site: &Site, _: &Scene, _: &Counts, nth: u64) {
    pause(Duration::from_secs(20));
    site.kill_worker(usize::try_from(nth).unwrap());
}
