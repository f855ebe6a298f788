//! Small proxies between nodes and what they talk to, which hold up what goes one way or both, as a network does that
//! loses everything for a while. What was held up arrives later, as it does by TCP.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};

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
    is_cut: Mutex<bool>,
    changed: Condvar,
}

impl Way {
    fn set(&self, is_cut: bool) {
        *self.is_cut.lock().unwrap() = is_cut;
        self.changed.notify_all();
    }

    fn wait_until_open(&self) {
        let is_cut = self.is_cut.lock().unwrap();
        drop(self.changed.wait_while(is_cut, |is_cut| *is_cut).unwrap());
    }
}

/// A proxy that listens as long as the test runs.
pub(crate) struct Link {
    /// Where it listens.
    pub(crate) address: String,
    there: Arc<Way>,
    back: Arc<Way>,
}

impl Link {
    /// Listens, and passes everything on to that end.
    pub(crate) fn to(end: End) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (there, back) = (Arc::new(Way::default()), Arc::new(Way::default()));
        let ways = (Arc::clone(&there), Arc::clone(&back));
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                join(near, &end, &ways);
            }
        });
        Self {
            address,
            there,
            back,
        }
    }

    /// Cuts what goes there, what comes back, or both; or neither any more.
    pub(crate) fn cut(&self, there: bool, back: bool) {
        self.there.set(there);
        self.back.set(back);
    }
}

/// Passes on what comes over one connection, in two threads that end with it.
fn join(near: TcpStream, end: &End, (there, back): &(Arc<Way>, Arc<Way>)) {
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
