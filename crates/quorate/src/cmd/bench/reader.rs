//! Who asks the server while it is measured.

use anyhow::{Context, Result, bail};
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode, header};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The longest page that is read, in bytes.
const PAGE_BYTES_MAX: usize = 1 << 24;

/// How many open streams are read from at the same time while they open.
const OPENING: usize = 64;

/// Somebody with a connection, signed in or not.
pub(super) struct BenchReader {
    client: Client<HttpConnector, Body>,
    base: String,
    cookie: Option<String>,
}

/// What an answer says.
pub(super) struct SentAnswer {
    pub(super) status: StatusCode,
    /// The cookies that it sets, as they are sent back.
    pub(super) cookies: Vec<String>,
    pub(super) body: Bytes,
}

impl BenchReader {
    /// Somebody who is not signed in.
    pub(super) fn stranger(base: &str) -> Self {
        Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            base: base.to_owned(),
            cookie: None,
        }
    }

    /// The same person on a connection of their own.
    pub(super) fn again(&self) -> Self {
        Self {
            cookie: self.cookie.clone(),
            ..Self::stranger(&self.base)
        }
    }

    /// The same person with a cookie.
    pub(super) fn with_cookie(&self, cookie: String) -> Self {
        Self {
            cookie: Some(cookie),
            ..Self::stranger(&self.base)
        }
    }

    /// A page, which must be there.
    pub(super) async fn get(&self, path: &str) -> Result<SentAnswer> {
        let request = Request::get(format!("{}{path}", self.base));
        let sent = self.asked(request, Body::empty()).await?;
        if sent.status != StatusCode::OK {
            bail!("{path} was answered with {}", sent.status);
        }
        Ok(sent)
    }

    /// Sends a form.
    pub(super) async fn send(&self, path: &str, form: &str) -> Result<SentAnswer> {
        let request = Request::post(format!("{}{path}", self.base))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ORIGIN, &self.base);
        self.asked(request, Body::from(form.to_owned())).await
    }

    /// Acts by the API, with a token; it must be taken.
    pub(super) async fn act(&self, path: &str, token: &str, body: &Json) -> Result<()> {
        let request = Request::post(format!("{}{path}", self.base))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {token}"));
        let sent = self.asked(request, Body::from(body.to_string())).await?;
        if !sent.status.is_success() {
            let why = String::from_utf8_lossy(&sent.body).into_owned();
            bail!("{path} was answered with {}: {why}", sent.status);
        }
        Ok(())
    }

    async fn asked(&self, request: axum::http::request::Builder, body: Body) -> Result<SentAnswer> {
        let request = match &self.cookie {
            Some(cookie) => request.header(header::COOKIE, cookie),
            None => request,
        };
        let answer = self
            .client
            .request(request.body(body)?)
            .await
            .context("the server does not answer")?;
        let status = answer.status();
        let cookies = answer.headers().get_all(header::SET_COOKIE);
        let cookies = cookies.iter().filter_map(|cookie| cookie.to_str().ok());
        let cookies = cookies
            .filter_map(|cookie| cookie.split(';').next())
            .map(str::to_owned)
            .collect();
        let body = to_bytes(Body::new(answer.into_body()), PAGE_BYTES_MAX).await?;
        Ok(SentAnswer {
            status,
            cookies,
            body,
        })
    }
}

/// So many live streams of a game, each past its first bytes.
pub(super) async fn open_streams(base: &str, path: &str, count: usize) -> Result<Vec<TcpStream>> {
    let address = base.trim_start_matches("http://").to_owned();
    let ask =
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\n\r\n");
    let mut open = Vec::new();
    while open.len() < count {
        let mut tasks = Vec::new();
        for _ in 0..OPENING.min(count - open.len()) {
            let (address, ask) = (address.clone(), ask.clone());
            tasks.push(tokio::spawn(async move {
                let mut stream = TcpStream::connect(&address).await?;
                stream.write_all(ask.as_bytes()).await?;
                let mut first = [0; 12];
                stream.read_exact(&mut first).await?;
                if &first != b"HTTP/1.1 200" {
                    bail!("a stream is refused: {}", String::from_utf8_lossy(&first));
                }
                Ok(stream)
            }));
        }
        for task in tasks {
            open.push(task.await??);
        }
    }
    Ok(open)
}
