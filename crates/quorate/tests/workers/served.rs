//! A server whose rule code runs in workers, with a game and an account that plays its founder.

#[path = "../../src/cmd/bench/people.rs"]
mod people;

use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use quorate_kernel::{GameId, PlayerId};
use quorate_runtime::ports::{Accounts, Journal, Seals, SystemClock, TimeSource};
use quorate_store::{Store, StoreOptions};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use people::{account, session};

use crate::running::{Server, done};

/// This program.
pub(crate) const QUORATE: &str = env!("CARGO_BIN_EXE_quorate");

/// The word of the token by which tests call the API.
pub(crate) const TOKEN: &str = "a word that only this test knows";

/// That of somebody else, who plays nobody.
pub(crate) const OTHER_TOKEN: &str = "a word that somebody else knows";

/// A server whose API and workers are asked for.
pub(crate) struct Served(pub(crate) Server);

impl Served {
    pub(crate) fn start(data: &Path, law: &str) -> Self {
        Self(Server::with(data, &["--law", law]))
    }

    /// Asks for something; gives the status and what was answered.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.ask_as(TOKEN, method, path, body)
    }

    /// The same as whoever has a token.
    pub(crate) fn ask_as(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: &str,
    ) -> (u16, String) {
        let head = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
        self.0.ask(method, path, &head, body)
    }

    /// The same in a browser in which somebody is signed in.
    pub(crate) fn browse(
        &self,
        method: &str,
        path: &str,
        session: &str,
        body: &str,
    ) -> (u16, String) {
        let head =
            format!("Cookie: {session}\r\nContent-Type: application/x-www-form-urlencoded\r\n");
        self.0.ask(method, path, &head, body)
    }

    /// The numbers of its workers of a kind.
    pub(crate) fn workers(&self, kind: &str) -> Vec<String> {
        let server = self.0.id();
        let words = format!("law-worker {kind}");
        let found = Command::new("pgrep")
            .args(["-P", &server, "-f", &words])
            .output();
        let found = found.expect("pgrep runs");
        let found = String::from_utf8(found.stdout).expect("numbers");
        found.lines().map(str::to_owned).collect()
    }
}

/// Lets time pass: nobody can be asked whether a request has come as far as a worker that says nothing.
pub(crate) fn pause(time: Duration) {
    let (_nobody, says) = mpsc::channel::<()>();
    assert!(says.recv_timeout(time).is_err(), "nobody says anything");
}

/// Sends a process a signal.
pub(crate) fn signal(signal: &str, id: &str) {
    let done = Command::new("kill").args([signal, id]).status();
    assert!(done.expect("kill runs").success(), "{signal} {id}");
}

/// The value of a form's hidden field.
pub(crate) fn hidden(page: &str, name: &str) -> String {
    let from = page.split_once(&format!("name=\"{name}\" value=\""));
    let (_, rest) = from.unwrap_or_else(|| panic!("no {name} in {page}"));
    rest.split('"').next().expect("a value").to_owned()
}

/// A folder with a game, `town`, and an account with a token that plays its founder.
pub(crate) fn folder() -> (TempDir, Runtime) {
    let folder = tempfile::tempdir().expect("a folder");
    done(&["new", "one-page", "--id", "town"], folder.path());
    let waiting = Runtime::new().expect("a runtime");
    waiting.block_on(async {
        let store = Store::open(folder.path(), StoreOptions::default());
        let store = store.await.expect("the store opens");
        let founds = [founder(&store).await];
        for (name, token, seats) in [("Anna", TOKEN, &founds[..]), ("Bert", OTHER_TOKEN, &[])] {
            let made = account(&store, name, token, true, seats).await;
            made.expect("an account");
        }
    });
    (folder, waiting)
}

/// The cookie of a session in which the founder is signed in.
pub(crate) fn signed_in(folder: &TempDir, waiting: &Runtime) -> String {
    waiting.block_on(async {
        let store = Store::open(folder.path(), StoreOptions::default()).await;
        let store = store.expect("the store opens");
        let account = store.account_by_name("Anna").await.expect("an answer");
        let account = account.expect("an account").id;
        let cookie = session(&store, account, SystemClock.now()).await;
        cookie.expect("a session")
    })
}

/// The game, and who founded it.
pub(crate) async fn founder(store: &Store) -> (GameId, PlayerId) {
    let game: GameId = "town".parse().expect("a word for a game");
    let (journal, seals): (&dyn Journal, &dyn Seals) = (store, store);
    let opened = quorate_runtime::fold::open(journal, seals, &game).await;
    let opened = opened.expect("the game opens");
    let player = *opened.state.people.keys().next().expect("a founder");
    (game, player)
}

/// Changes that add a rule.
pub(crate) fn draft() -> String {
    let rule = json!({ "do": "add_rule", "id": "tea", "text": "# Tea\n\nThere is tea at five." });
    json!({ "changes": [rule] }).to_string()
}
