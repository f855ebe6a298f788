//! Small proxies between nodes and what they talk to, which slow down or hold up what goes one way or both, as a network
//! does that loses everything for a while. What was held up arrives later, as it does by TCP.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::run::pause;

/// How long the proxy in front waits for a node before it asks the next.
const CONNECT_WITHIN: Duration = Duration::from_secs(1);

/// Where a link leads.
#[derive(Clone)]
pub(crate) enum End {
    /// A socket in a folder.
    Socket(PathBuf),
    /// A host and a port.
    Port(String),
}

/// One direction of a link.
#[derive(Default)]
struct Way {
    state: Mutex<WayState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
struct WayState {
    is_cut: bool,
    /// By how much everything is late.
    late: Duration,
}

impl Way {
    fn set(&self, change: impl FnOnce(&mut WayState)) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    fn wait_until_open(&self) {
        let state = self.state.lock().unwrap();
        let state = self.changed.wait_while(state, |state| state.is_cut);
        let late = state.unwrap().late;
        if !late.is_zero() {
            pause(late);
        }
    }
}

/// A proxy that listens as long as the test runs.
pub(crate) struct Link {
    /// Where it listens.
    pub(crate) address: String,
    end: Arc<Mutex<End>>,
    there: Arc<Way>,
    back: Arc<Way>,
}

impl Link {
    /// Listens on a host, and passes everything on to that end.
    pub(crate) fn new(host: &str, end: End) -> Self {
        let listener = TcpListener::bind((host, 0)).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let link = Self {
            address,
            end: Arc::new(Mutex::new(end)),
            there: Arc::default(),
            back: Arc::default(),
        };
        let ways = (Arc::clone(&link.there), Arc::clone(&link.back));
        let end = Arc::clone(&link.end);
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let end = end.lock().unwrap().clone();
                let ways = ways.clone();
                std::thread::spawn(move || join(near, &end, &ways));
            }
        });
        link
    }

    /// Leads what connects from now on to another end.
    pub(crate) fn lead_to(&self, end: End) {
        *self.end.lock().unwrap() = end;
    }

    /// Cuts what goes there, what comes back, or both; or neither any more.
    pub(crate) fn cut(&self, there: bool, back: bool) {
        self.there.set(|way| way.is_cut = there);
        self.back.set(|way| way.is_cut = back);
    }

    /// Slows down what goes there and what comes back.
    pub(crate) fn slow(&self, there: Duration, back: Duration) {
        self.there.set(|way| way.late = there);
        self.back.set(|way| way.late = back);
    }
}

/// What stands in front of all nodes: each connection goes to the next of them that takes it.
pub(crate) fn front(nodes: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let next = AtomicUsize::new(0);
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let first = next.fetch_add(1, Ordering::Relaxed);
            let nodes = nodes.clone();
            std::thread::spawn(move || {
                let in_turn = (0..nodes.len()).map(|nth| &nodes[(first + nth) % nodes.len()]);
                let mut taken = in_turn.filter_map(|node| {
                    TcpStream::connect_timeout(&node.parse().ok()?, CONNECT_WITHIN).ok()
                });
                if let Some(far) = taken.next() {
                    let ends = (near.try_clone().unwrap(), far.try_clone().unwrap());
                    pass(ends.0, far, Arc::default());
                    pass(ends.1, near, Arc::default());
                }
            });
        }
    });
    address
}

/// Passes on what comes over one connection, in two threads that end with it.
fn join(near: TcpStream, end: &End, (there, back): &(Arc<Way>, Arc<Way>)) {
    // Neither does the wish for a connection get through.
    there.wait_until_open();
    match end {
        End::Socket(path) => {
            if let Ok(far) = UnixStream::connect(path) {
                let ends = (near.try_clone().unwrap(), far.try_clone().unwrap());
                pass(ends.0, far, Arc::clone(there));
                pass(ends.1, near, Arc::clone(back));
            }
        }
        End::Port(address) => {
            if let Ok(far) = TcpStream::connect(address) {
                let ends = (near.try_clone().unwrap(), far.try_clone().unwrap());
                pass(ends.0, far, Arc::clone(there));
                pass(ends.1, near, Arc::clone(back));
            }
        }
    }
}

/// A stream that can be ended for both who hold it.
trait Ends {
    fn end(&self);
}

impl Ends for TcpStream {
    fn end(&self) {
        drop(self.shutdown(std::net::Shutdown::Both));
    }
}

impl Ends for UnixStream {
    fn end(&self) {
        drop(self.shutdown(std::net::Shutdown::Both));
    }
}

fn pass(
    mut from: impl Read + Ends + Send + 'static,
    mut to: impl Write + Ends + Send + 'static,
    way: Arc<Way>,
) {
    std::thread::spawn(move || {
        let mut bytes = [0; 16_384];
        loop {
            let read = from.read(&mut bytes).unwrap_or(0);
            // Also the end of a connection does not get through.
            way.wait_until_open();
            if read == 0 || to.write_all(&bytes[..read]).is_err() {
                from.end();
                to.end();
                return;
            }
        }
    });
}
