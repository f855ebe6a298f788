//! Connections: how many there may be, and how long each may take with what it sends and takes in.
//!
//! A connection costs a descriptor, and whoever holds one open without asking anything takes it from those who ask. So each
//! step has its time: the head of a request, its body, the answer; nobody has more than a share of all; and when all are taken,
//! whoever has asked nothing for longest makes room.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use axum::response::IntoResponse;
use futures_util::{StreamExt, stream};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncWriteExt, Interest};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::ServiceExt;

use crate::security::rate::Who;
use crate::security::unstalled::Unstalled;
use crate::security::waiting::{Awaited, WaitingRoom};

/// The longest head of a request, in bytes.
const HEAD_BYTES: usize = 64 * 1_024;

/// The most lines in the head of a request.
const HEAD_LINES: usize = 100;

/// How long to wait after the system gave no connection, as when there are too many open files.
const BREATH: Duration = Duration::from_millis(50);

/// How long whoever is sent away may take to hear it.
const FAREWELL: Duration = Duration::from_secs(1);

/// How often whoever waits for an answer is looked for, where they have sent more than their request.
const LOOKS_AGAIN: Duration = Duration::from_millis(100);

/// What somebody is told for whom there is no connection left.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n\
    retry-after: 5\r\nconnection: close\r\ncontent-length: 44\r\n\r\nToo many connections. Try again in a moment.";

/// How many connections there may be, and how long each may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// In all.
    pub all: usize,
    /// From one address; none behind a proxy, from whose address all come.
    pub per_address: Option<usize>,
    /// From the end of an answer, or the beginning, until the head of the next request is there.
    pub head: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// How long the other side may take in nothing of an answer.
    pub stalled: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            all: 4_096,
            per_address: Some(128),
            head: Duration::from_secs(20),
            body: Duration::from_mins(1),
            stalled: Duration::from_mins(1),
        }
    }
}

/// How many connections there are; shared with whoever tells it.
#[derive(Clone, Default)]
pub struct Connections(Arc<Mutex<HashMap<Who, usize>>>);

impl Connections {
    /// How many are open now.
    pub fn count(&self) -> usize {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().sum()
    }

    /// Counts one in, unless its address has its share.
    fn enter(&self, who: Who, share: Option<usize>) -> Option<OpenConnection> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(who.clone()).or_default();
        if share.is_some_and(|share| *count >= share) {
            return None;
        }
        *count += 1;
        Some(OpenConnection {
            who,
            all: self.clone(),
        })
    }
}

/// A connection that is counted until this is dropped.
struct OpenConnection {
    who: Who,
    all: Connections,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut open = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.who);
            }
        }
    }
}

/// Answers whoever comes until `end`, and those who are there until they have their answers.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    connections: Connections,
    end: impl Future<Output = ()>,
) {
    let all = Arc::new(Semaphore::new(limits.all));
    let waiting = WaitingRoom::default();
    let (ending, ended) = watch::channel(());
    let mut end = pin!(end);
    loop {
        let (stream, address) = tokio::select! {
            () = &mut end => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    log_error(&error);
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            },
        };
        let Some(entered) = connections.enter(Who::address(address.ip()), limits.per_address)
        else {
            tokio::spawn(send_away(stream));
            continue;
        };
        let permit = Arc::clone(&all).try_acquire_owned().ok();
        if permit.is_none() && !waiting.make_room() {
            tokio::spawn(send_away(stream));
            continue;
        }
        let guest = Guest {
            router: router.clone(),
            address,
            limits,
            waiting: waiting.clone(),
        };
        let (all, ended) = (Arc::clone(&all), ended.clone());
        tokio::spawn(async move {
            let permit = match permit {
                Some(permit) => Some(permit),
                None => freed(all).await,
            };
            match permit {
                Some(permit) => guest.stay(stream, ended, (permit, entered)).await,
                None => send_away(stream).await,
            }
        });
    }
    drop(ended);
    // Nobody listens any more once each has gone.
    ending.send_replace(());
    ending.closed().await;
}

/// The place of whoever makes room.
async fn freed(all: Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    let permit = tokio::time::timeout(FAREWELL, all.acquire_owned()).await;
    permit.ok()?.ok()
}

/// A connection that broke while it was made is its own business.
fn log_error(error: &io::Error) {
    let gone = [
        io::ErrorKind::ConnectionAborted,
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::ConnectionRefused,
    ];
    if !gone.contains(&error.kind()) {
        tracing::warn!(%error, "no connection could be taken");
    }
}

async fn send_away(mut stream: TcpStream) {
    let farewell = async {
        stream.write_all(FULL).await?;
        stream.shutdown().await
    };
    drop(tokio::time::timeout(FAREWELL, farewell).await);
}

/// Whoever is at the other end.
struct Guest {
    router: Router,
    address: SocketAddr,
    limits: ConnectionLimits,
    waiting: WaitingRoom,
}

impl Guest {
    async fn stay(
        self,
        stream: TcpStream,
        mut ended: watch::Receiver<()>,
        counted: (OwnedSemaphorePermit, OpenConnection),
    ) {
        // Small answers leave at once.
        drop(stream.set_nodelay(true));
        let (limits, address, router) = (self.limits, self.address, self.router);
        let place = self.waiting.enter();
        let (read, write) = stream.into_split();
        let line = Arc::new(read);
        let halves = (Arc::clone(&line), write);
        let here = Arc::clone(&place);
        let answer = service_fn(move |request: Request<Incoming>| {
            here.go_on();
            let (router, here, line) = (router.clone(), Arc::clone(&here), Arc::clone(&line));
            async move {
                let response = tokio::select! {
                    biased;
                    response = answered(router, request, address, limits.body) => response,
                    gone = hung_up(&line) => return Err(gone),
                };
                Ok::<_, io::Error>(response.map(|body| Awaited::new(body, here)))
            }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .max_buf_size(HEAD_BYTES)
            .max_headers(HEAD_LINES);
        let io = TokioIo::new(Unstalled::new(halves, limits.stalled, Arc::clone(&place)));
        let mut connection = pin!(http.serve_connection(io, answer));
        // How it ends is the other side's business: it may have gone, or have sent no HTTP.
        let ended = tokio::select! {
            done = connection.as_mut() => Some(done),
            () = place.gone() => return,
            _ = ended.changed() => None,
        };
        if ended.is_none() {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
        drop(counted);
    }
}

/// Ends when the other side hangs up, also behind something that it sent and nobody has read yet.
async fn hung_up(line: &OwnedReadHalf) -> io::Error {
    loop {
        match line.ready(Interest::READABLE).await {
            Ok(ready) if ready.is_read_closed() => return io::ErrorKind::ConnectionAborted.into(),
            Ok(_) => tokio::time::sleep(LOOKS_AGAIN).await,
            Err(error) => return error,
        }
    }
}

/// The answer to a request whose body has to come in time.
async fn answered(
    router: Router,
    request: Request<Incoming>,
    address: SocketAddr,
    time: Duration,
) -> Response<Body> {
    let late = Arc::new(AtomicBool::new(false));
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(ConnectInfo(address));
    let body = if body.is_end_stream() {
        Body::empty()
    } else {
        in_time(Body::new(body), time, Arc::clone(&late))
    };
    let Ok(response) = router.oneshot(Request::from_parts(parts, body)).await;
    if !late.load(Ordering::Relaxed) {
        return response;
    }
    let words = "The request did not come in time. Send it again.\n";
    let mut response = (StatusCode::REQUEST_TIMEOUT, words).into_response();
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// A body that ends with an error when its time is over, and says so.
fn in_time(body: Body, time: Duration, late: Arc<AtomicBool>) -> Body {
    let ends = Box::pin(tokio::time::sleep(time));
    let pieces = stream::unfold(Some((body.into_data_stream(), ends)), move |state| {
        let late = Arc::clone(&late);
        async move {
            let (mut pieces, mut ends) = state?;
            tokio::select! {
                piece = pieces.next() => match piece? {
                    Ok(piece) => Some((Ok(piece), Some((pieces, ends)))),
                    Err(error) => Some((Err(error), None)),
                },
                () = &mut ends => {
                    late.store(true, Ordering::Relaxed);
                    let error = io::Error::from(io::ErrorKind::TimedOut);
                    Some((Err(axum::Error::new(error)), None))
                }
            }
        }
    });
    Body::from_stream(pieces.fuse())
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::sync::oneshot;

    use super::*;

    /// A time that nobody waits for in these tests.
    const LONG: Duration = Duration::from_mins(10);

    const PATIENT: ConnectionLimits = ConnectionLimits {
        all: 64,
        per_address: None,
        head: LONG,
        body: LONG,
        stalled: LONG,
    };

    struct Server {
        address: SocketAddr,
        connections: Connections,
        end: oneshot::Sender<()>,
        gone: tokio::task::JoinHandle<()>,
    }

    async fn server(limits: ConnectionLimits) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        // What is sent comes back; where nothing is, that the server is here, or much of nothing.
        let said = |request: Request<Body>| async move {
            let (parts, body) = request.into_parts();
            match parts.uri.path() {
                "/never" => std::future::pending().await,
                "/early" => return b"early".to_vec(),
                "/big" => return vec![b'x'; 32 << 20],
                _ => {}
            }
            let words = axum::body::to_bytes(body, usize::MAX).await;
            let words = words.unwrap_or_default();
            if words.is_empty() {
                b"here".to_vec()
            } else {
                words.to_vec()
            }
        };
        let router = Router::new().fallback(said);
        let (end, ended) = oneshot::channel();
        let connections = Connections::default();
        let serving = serve(listener, router, limits, connections.clone(), async {
            drop(ended.await);
        });
        let gone = tokio::spawn(serving);
        Server {
            address,
            connections,
            end,
            gone,
        }
    }

    impl Server {
        async fn connect(&self, words: &str) -> TcpStream {
            let mut stream = TcpStream::connect(self.address)
                .await
                .expect("a connection");
            stream
                .write_all(words.as_bytes())
                .await
                .expect("it is sent");
            stream
        }

        /// Until so many are connected.
        async fn has(&self, count: usize) {
            while self.connections.count() != count {
                tokio::task::yield_now().await;
            }
        }

        /// All that comes until the server closes.
        async fn said(&self, words: &str) -> String {
            rest(self.connect(words).await).await
        }
    }

    async fn rest(mut stream: TcpStream) -> String {
        let mut said = Vec::new();
        drop(stream.read_to_end(&mut said).await);
        String::from_utf8_lossy(&said).into_owned()
    }

    const ASK: &str = "GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";

    /// More than a connection takes in by itself.
    const BIG: &str = "GET /big HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";

    #[tokio::test]
    async fn half_a_head_and_idleness_end() {
        let head = Duration::from_millis(30);
        let server = server(ConnectionLimits { head, ..PATIENT }).await;
        server.said("").await;
        server.said("GET / HT").await;
        server.said("GET / HTTP/1.1\r\nhost: h\r\n").await;
        // After an answer too.
        let said = server.said("GET / HTTP/1.1\r\nhost: h\r\n\r\n").await;
        assert!(said.ends_with("here"), "{said}");
    }

    #[tokio::test]
    async fn who_hangs_up_is_waited_for_no_more_whatever_they_sent_behind_their_request() {
        let server = server(PATIENT).await;
        for behind in ["", "G", "GET / HTTP/1.1\r\nhost: h\r\n\r\n"] {
            let asked = format!("GET /never HTTP/1.1\r\nhost: h\r\n\r\n{behind}");
            let asked = server.connect(&asked).await;
            server.has(1).await;
            drop(asked);
            server.has(0).await;
        }
    }

    #[tokio::test]
    async fn an_answer_that_comes_before_the_whole_request_is_heard() {
        let server = server(PATIENT).await;
        let head = "POST /early HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: 9000000\r\n\r\n";
        let request = head.to_owned() + &"x".repeat(4_000_000);
        for _ in 0..20 {
            let mut stream = TcpStream::connect(server.address)
                .await
                .expect("a connection");
            // It may be closed before all is sent.
            drop(stream.write_all(request.as_bytes()).await);
            let said = rest(stream).await;
            assert!(said.ends_with("early"), "{said}");
        }
    }

    #[tokio::test]
    async fn half_a_body_ends_with_an_answer() {
        let body = Duration::from_millis(30);
        let server = server(ConnectionLimits { body, ..PATIENT }).await;
        let half = "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 9\r\n\r\nhalf";
        let said = server.said(half).await;
        assert!(said.starts_with("HTTP/1.1 408"), "{said}");
        let whole =
            "POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: 4\r\n\r\nhalf";
        assert!(server.said(whole).await.ends_with("half"));
    }

    #[tokio::test]
    async fn whoever_takes_nothing_in_is_left() {
        let stalled = Duration::from_millis(30);
        let server = server(ConnectionLimits { stalled, ..PATIENT }).await;
        let idle = server.connect(BIG).await;
        server.has(1).await;
        server.has(0).await;
        assert!(rest(idle).await.len() < 32 << 20);
    }

    #[tokio::test]
    async fn one_address_has_its_share_and_all_have_theirs() {
        let share = server(ConnectionLimits {
            per_address: Some(2),
            ..PATIENT
        })
        .await;
        let all = server(ConnectionLimits { all: 2, ..PATIENT }).await;
        for (server, busy) in [(share, "GET"), (all, BIG)] {
            let mut open = [server.connect(busy).await, server.connect(busy).await];
            server.has(2).await;
            if busy == BIG {
                for one in &mut open {
                    one.read_exact(&mut [0; 8]).await.expect("it begins");
                }
            }
            let said = server.said("").await;
            assert!(said.starts_with("HTTP/1.1 503"), "{said}");
            assert!(said.ends_with("moment."), "the whole sentence: {said}");
            drop(open);
            server.has(0).await;
            assert!(server.said(ASK).await.ends_with("here"));
        }
    }

    #[tokio::test]
    async fn whoever_asks_nothing_makes_room_and_whoever_is_answered_stays() {
        let server = server(ConnectionLimits { all: 3, ..PATIENT }).await;
        let mut big = server.connect(BIG).await;
        let mut first = [0; 8];
        big.read_exact(&mut first).await.expect("it begins");
        let half = server.connect("GET / HT").await;
        server.has(2).await;
        let mut idle = server.connect("GET / HTTP/1.1\r\nhost: h\r\n\r\n").await;
        idle.read_exact(&mut first).await.expect("an answer");
        for _ in 0..20 {
            assert!(server.said(ASK).await.ends_with("here"));
        }
        assert_eq!(rest(half).await, "", "it waited longest");
        let (another, last) = (server.connect("").await, server.connect("").await);
        server.has(3).await;
        assert!(server.said(ASK).await.ends_with("here"));
        rest(idle).await;
        assert!(rest(big).await.len() > 32 << 20, "nothing of it is cut");
        drop((another, last));
    }

    #[tokio::test]
    async fn a_head_without_end_is_refused() {
        let server = server(PATIENT).await;
        let long = format!(
            "GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\nx: {}\r\n\r\n",
            "y".repeat(2 * HEAD_BYTES)
        );
        let said = server.said(&long).await;
        assert!(
            said.is_empty() || said.starts_with("HTTP/1.1 431"),
            "{said}"
        );
        let many = "x: y\r\n".repeat(HEAD_LINES + 1);
        let said = server
            .said(&format!(
                "GET / HTTP/1.1\r\nconnection: close\r\n{many}\r\n"
            ))
            .await;
        assert!(said.starts_with("HTTP/1.1 431"), "{said}");
    }

    #[tokio::test]
    async fn at_the_end_idle_connections_go_at_once() {
        let server = server(PATIENT).await;
        let mut idle = server.connect("GET / HTTP/1.1\r\nhost: h\r\n\r\n").await;
        let mut first = [0; 8];
        idle.read_exact(&mut first).await.expect("an answer");
        server.end.send(()).expect("it listens");
        server.gone.await.expect("it ends");
    }
}
