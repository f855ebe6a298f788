//! A worker as a process, from both ends.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, setpriority_process};

use crate::confine::{Bounds, lock};
use crate::frame::{self, Hello, Until};
use crate::patience::{is_most_of, worked};

/// How long a worker may take until it has locked itself.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// The stack of the thread that waits for the server's end, in bytes.
const WATCH_STACK: usize = 64 << 10;

/// What the program's allocator is told in a worker: to ask for memory as it is used. Otherwise it sets some aside that it may never
/// use, and all of that counts for the cap.
const ALLOCATOR: [(&str, &str); 1] = [("MIMALLOC_ARENA_EAGER_COMMIT", "0")];

/// The signals by which others end a process.
const KILL: i32 = 9;
const TERM: i32 = 15;

/// How much a worker that takes long stands back behind all others, as the system counts it.
const STANDS_BACK: i32 = 10;

/// How workers are started: this program with words by which it becomes one.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// What it is told.
    pub words: Vec<OsString>,
}

/// A worker that has locked itself. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) socket: UnixStream,
    pub(crate) lacks: Vec<String>,
}

impl Program {
    /// Starts a worker and waits until it has locked itself. One that is killed as it starts is no reason to give up.
    pub(crate) fn start(&self) -> io::Result<Process> {
        self.started().or_else(|_| self.started())
    }

    fn started(&self) -> io::Result<Process> {
        let (socket, theirs) = UnixStream::pair()?;
        let child = Command::new(&self.path)
            .args(&self.words)
            .env_clear()
            .envs(ALLOCATOR)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .spawn()?;
        let mut process = Process {
            child,
            socket,
            lacks: Vec::new(),
        };
        let hello = frame::read(Until::after(&process.socket, READY_WITHIN))?;
        let hello: Hello = frame::message(&hello)?;
        if hello.version != frame::VERSION {
            let other = "the program was replaced by another release: start the server again";
            return Err(io::Error::other(other));
        }
        process.lacks = hello.lacks;
        Ok(process)
    }
}

impl Process {
    /// Its number in the system.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// It takes long: all others go first from now on.
    pub(crate) fn stand_back(&self) {
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        let given = id.map(|id| setpriority_process(Some(id), STANDS_BACK));
        if let Some(Err(error)) = given {
            tracing::debug!(%error, "a worker that takes long doesn't stand back");
        }
    }

    /// How long it has had a processor so far; none where the system does not tell.
    pub(crate) fn worked(&self) -> Option<Duration> {
        worked(self.id())
    }

    /// Whether it has ended.
    pub(crate) fn is_gone(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|end| end.is_some())
    }

    /// Whether it was lost by what it did. If its time was over, that was so if it had a processor for nearly all of it, `worked`
    /// being what it had had before; else, if it ended by itself. One that somebody killed did not.
    pub(crate) fn is_at_fault(&mut self, over: bool, time: Duration, worked: Duration) -> bool {
        if over {
            let now = self.worked();
            return now.is_some_and(|now| is_most_of(now.saturating_sub(worked), time));
        }
        // It is gone or about to be; how it ended is settled already.
        drop(self.child.kill());
        let end = self.child.wait();
        let killed = |end: ExitStatus| matches!(end.signal(), Some(KILL | TERM));
        end.is_ok_and(|end| !killed(end))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Makes this process a worker: locks it, says so, and gives the socket to its server. To be called before there are other
/// threads.
///
/// # Errors
/// Fails where the standard input is no socket.
pub fn become_worker(bounds: Bounds) -> io::Result<UnixStream> {
    let socket = rustix::stdio::stdin().try_clone_to_owned()?;
    let socket = UnixStream::from(socket);
    end_with_the_server(&socket)?;
    let hello = Hello {
        version: frame::VERSION,
        lacks: lock(bounds),
    };
    frame::write(&socket, &frame::bytes(&hello)?)?;
    Ok(socket)
}

/// A worker whose server was killed would go on with what it does; a thread of it waits for that and ends it.
fn end_with_the_server(socket: &UnixStream) -> io::Result<()> {
    let line = socket.try_clone()?;
    let wait = move || {
        loop {
            // Nothing is waited for but what is always told: that the other end is gone.
            let mut lines = [PollFd::new(&line, PollFlags::empty())];
            let told = poll(&mut lines, None);
            if told.is_ok() && !lines[0].revents().is_empty() {
                std::process::exit(0);
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(WATCH_STACK);
    thread.spawn(wait).map(drop)
}
