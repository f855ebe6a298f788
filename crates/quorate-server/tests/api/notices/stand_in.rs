//! Receivers that stand in for a mail server and for an address on the web.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use mail_parser::{Message, MessageParser};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// How a mail server behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Manner {
    /// It takes everything.
    Takes,
    /// It knows no such address.
    Refuses,
    /// It takes a message and never says so.
    FallsSilent,
}

/// A mail server, as RFC 5321 has it.
pub(super) struct MailServer {
    pub(super) address: String,
    manner: Arc<Mutex<Manner>>,
    mails: Arc<Mutex<Vec<Vec<u8>>>>,
    /// Where each came back to if it did not arrive.
    back: Arc<Mutex<Vec<String>>>,
}

impl MailServer {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("smtp://{}", listener.local_addr().unwrap());
        let server = Self {
            address,
            manner: Arc::new(Mutex::new(Manner::Takes)),
            mails: Arc::default(),
            back: Arc::default(),
        };
        let (manner, mails) = (Arc::clone(&server.manner), Arc::clone(&server.mails));
        let back = Arc::clone(&server.back);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (manner, mails) = (*manner.lock().unwrap(), Arc::clone(&mails));
                let back = Arc::clone(&back);
                tokio::spawn(async move { drop(speak(stream, manner, &mails, &back).await) });
            }
        });
        server
    }

    pub(super) fn behaves(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    pub(super) fn count(&self) -> usize {
        self.mails.lock().unwrap().len()
    }

    /// What came, in order, each read by the one who wants it.
    pub(super) fn read<T>(&self, mut read: impl FnMut(&Message<'_>) -> T) -> Vec<T> {
        let mails = self.mails.lock().unwrap();
        let parser = MessageParser::default();
        mails
            .iter()
            .map(|mail| read(&parser.parse(mail.as_slice()).unwrap()))
            .collect()
    }

    pub(super) fn raw(&self) -> Vec<String> {
        let mails = self.mails.lock().unwrap();
        mails
            .iter()
            .map(|mail| String::from_utf8_lossy(mail).into_owned())
            .collect()
    }

    /// Whom each mail was sent by, as its envelope says.
    pub(super) fn back(&self) -> Vec<String> {
        self.back.lock().unwrap().clone()
    }

    pub(super) fn forget(&self) {
        self.mails.lock().unwrap().clear();
    }
}

async fn speak(
    stream: TcpStream,
    manner: Manner,
    mails: &Mutex<Vec<Vec<u8>>>,
    back: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    write.write_all(b"220 stand-in ESMTP\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let verb = line
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_uppercase();
        let said: &[u8] = match verb.as_str() {
            "EHLO" => b"250-stand-in\r\n250 8BITMIME\r\n",
            "MAIL" => {
                let from = line.split(['<', '>']).nth(1).unwrap_or_default();
                back.lock().unwrap().push(from.to_owned());
                b"250 well\r\n"
            }
            "RCPT" if manner == Manner::Refuses => b"550 5.1.1 no such mailbox\r\n",
            "DATA" => {
                write.write_all(b"354 go on\r\n").await?;
                let mut mail = Vec::new();
                while let Some(line) = lines.next_line().await? {
                    if line == "." {
                        break;
                    }
                    let line = line.strip_prefix('.').unwrap_or(&line);
                    mail.extend_from_slice(line.as_bytes());
                    mail.extend_from_slice(b"\r\n");
                }
                mails.lock().unwrap().push(mail);
                if manner == Manner::FallsSilent {
                    std::future::pending::<()>().await;
                }
                b"250 taken\r\n"
            }
            "QUIT" => b"221 bye\r\n",
            _ => b"250 well\r\n",
        };
        write.write_all(said).await?;
    }
    Ok(())
}

/// A request that came.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Came {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap().to_str().unwrap()
    }
}

/// An address on the web that takes whatever comes.
#[derive(Clone)]
pub(crate) struct WebServer {
    pub(crate) address: String,
    status: Arc<Mutex<u16>>,
    /// After how many seconds it wants to be asked again.
    after: Arc<Mutex<Option<u32>>>,
    came: Arc<Mutex<Vec<Came>>>,
}

impl WebServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            status: Arc::new(Mutex::new(204)),
            after: Arc::default(),
            came: Arc::default(),
        };
        let app = Router::new().fallback(take).with_state(server.clone());
        tokio::spawn(async move { drop(axum::serve(listener, app).await) });
        server
    }

    pub(crate) fn answers(&self, status: u16) {
        *self.status.lock().unwrap() = status;
    }

    pub(crate) fn wants_to_wait(&self, seconds: u32) {
        *self.after.lock().unwrap() = Some(seconds);
    }

    pub(crate) fn came(&self) -> Vec<Came> {
        self.came.lock().unwrap().clone()
    }
}

async fn take(
    State(server): State<WebServer>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, HeaderMap) {
    let path = uri.path().to_owned();
    let came = Came {
        method,
        path,
        headers,
        body,
    };
    server.came.lock().unwrap().push(came);
    let mut said = HeaderMap::new();
    if let Some(seconds) = *server.after.lock().unwrap() {
        said.insert(header::RETRY_AFTER, seconds.into());
    }
    let status = StatusCode::from_u16(*server.status.lock().unwrap());
    (status.unwrap(), said)
}
