//! The server that is measured, and a handler that does nothing to measure it by.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::routing::get;
use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::reader::BenchReader;

/// Connections beside those of streams.
const CONNECTIONS_MORE: usize = 256;

/// A server with the demo, in a process and a folder of its own, which both go with it.
pub(super) struct BenchScene {
    server: Child,
    folder: TempDir,
    base: String,
    game: String,
    players: Vec<String>,
    password: String,
}

impl BenchScene {
    /// Plays the demo and serves it.
    pub(super) fn start(rulebook: &str, streams: usize) -> Result<Self> {
        let folder = tempfile::tempdir().context("there is no room for a folder")?;
        let program = program()?;
        let played = Command::new(&program)
            .args(["demo", "--no-serve", "--json", "--data"])
            .arg(folder.path())
            .output()
            .with_context(|| not_started(&program))?;
        ensure!(played.status.success(), "the demo does not play");
        let told: Json = serde_json::from_slice(&played.stdout)?;
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let here = Json::from(rulebook);
        let plays = |login: &&Json| {
            let games = login["games"].as_array();
            games.is_some_and(|games| games.contains(&here))
        };
        let logins = told["logins"].as_array().cloned().unwrap_or_default();
        let names = logins
            .iter()
            .filter(plays)
            .map(|login| text(&login["name"]));
        let mut scene = Self::serve(folder, rulebook, streams)?;
        scene.players = names.collect();
        scene.password = text(&told["password"]);
        Ok(scene)
    }

    /// Serves a game of a folder that somebody filled.
    pub(super) fn of_folder(folder: TempDir, game: &str) -> Result<Self> {
        Self::serve(folder, game, 0)
    }

    fn serve(folder: TempDir, game: &str, streams: usize) -> Result<Self> {
        let connections = (streams + CONNECTIONS_MORE).to_string();
        let program = program()?;
        let mut server = Command::new(&program)
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .args(["--connections-per-address", &connections, "--data"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| not_started(&program))?;
        let mut said = String::new();
        let output = server.stdout.take().context("the server has no output")?;
        BufReader::new(output).read_line(&mut said)?;
        let said: Json = serde_json::from_str(&said).context("the server does not start")?;
        Ok(Self {
            base: said["serving"].as_str().unwrap_or_default().to_owned(),
            game: game.to_owned(),
            players: Vec::new(),
            password: String::new(),
            server,
            folder,
        })
    }

    /// Where it listens.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Where it keeps things.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A page of the game.
    pub(super) fn path(&self, page: &str) -> String {
        format!("/g/{}{page}", self.game)
    }

    /// The first player who has something to vote on, signed in.
    pub(super) async fn player(&self, stranger: &BenchReader) -> Result<BenchReader> {
        for name in &self.players {
            let page = stranger.get("/sign-in").await?;
            let form = form(&page.body, "<form").context("there is no form to sign in")?;
            let visitor = stranger.with_cookie(page.cookies.join("; "));
            let words = format!(
                "{}&password={}",
                form.with("name", name),
                plain(&self.password)
            );
            let answer = visitor.send("/sign-in", &words).await?;
            let reader = stranger.with_cookie(answer.cookies.join("; "));
            let front = reader.get(&self.path("")).await?;
            if quick_form(&front.body).is_some() {
                return Ok(reader);
            }
        }
        anyhow::bail!("nobody in this demo has anything to vote on")
    }

    /// A post with votes, as its address goes on after the game's.
    pub(super) async fn post(&self, reader: &BenchReader) -> Result<String> {
        let front = reader.get(&self.path("")).await?;
        let page = String::from_utf8_lossy(&front.body);
        let start = format!("{}/post/", self.path(""));
        let (_, rest) = page.split_once(&start).context("there is no post")?;
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Ok(format!("/post/{number}"))
    }
}

impl Drop for BenchScene {
    fn drop(&mut self) {
        // Nothing more can be done where it is gone already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// This program, of which the server is a process of its own.
fn program() -> Result<PathBuf> {
    std::env::current_exe().context("the program cannot be found")
}

fn not_started(program: &Path) -> String {
    let program = program.display();
    format!("cannot start {program}; if it was replaced since the bench began, run the bench again")
}

/// A form on a page: where it goes, and what it sends without being filled in.
pub(super) struct BenchForm {
    pub(super) to: String,
    hidden: String,
}

impl BenchForm {
    /// What is sent with one more field.
    pub(super) fn with(&self, name: &str, value: &str) -> String {
        format!("{}{name}={}", self.hidden, plain(value))
    }
}

/// The first form with buttons for a vote.
pub(super) fn quick_form(page: &[u8]) -> Option<BenchForm> {
    form(page, "<form class=\"quick\"")
}

/// The first form that begins so.
fn form(page: &[u8], start: &str) -> Option<BenchForm> {
    let page = String::from_utf8_lossy(page);
    let (_, rest) = page.split_once(start)?;
    let (form, _) = rest.split_once("</form>")?;
    let mut hidden = String::new();
    for input in form.split("<input ").skip(1) {
        let (input, _) = input.split_once('>')?;
        if attribute(input, "type") == Some("hidden") {
            let (name, value) = (attribute(input, "name")?, attribute(input, "value")?);
            hidden.push_str(&format!("{name}={}&", plain(value)));
        }
    }
    Some(BenchForm {
        to: attribute(form, "action").unwrap_or_default().to_owned(),
        hidden,
    })
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!("{name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// A value as a form sends it.
fn plain(value: &str) -> String {
    let mut sent = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() {
            sent.push(char::from(byte));
        } else {
            sent.push_str(&format!("%{byte:02X}"));
        }
    }
    sent
}

/// A handler that answers with so many bytes and does nothing else.
pub(super) struct Bare {
    pub(super) base: String,
    serving: JoinHandle<()>,
}

impl Bare {
    /// Serves it.
    pub(super) async fn start(bytes: usize) -> Result<Self> {
        let body = Bytes::from(vec![b'x'; bytes]);
        let page = get(async move || ([(header::CONTENT_TYPE, "text/html")], body.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let serving = tokio::spawn(async move {
            let served = axum::serve(listener, Router::new().route("/", page)).await;
            debug_assert!(served.is_ok(), "{served:?}");
        });
        Ok(Self { base, serving })
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_sends_its_hidden_fields_and_one_more() {
        let page = b"<p><form class=\"quick\" method=\"post\" action=\"/g/x/post/3\">\
            <input type=\"hidden\" name=\"csrf\" value=\"a-b\"><input type=\"text\" name=\"no\">\
            <button name=\"vote\" value=\"for\">FOR</button></form>";
        let form = quick_form(page).expect("there is one");
        assert_eq!(form.to, "/g/x/post/3");
        assert_eq!(form.with("vote", "for it"), "csrf=a%2Db&vote=for%20it");
    }
}
