//! Rule code in processes of its own: the same answers as in the server's, and games that live on when those are killed.
#![cfg(unix)]

mod running;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{GameId, Moment, Span};
use quorate_runtime::ports::{
    Accounts, Journal, Moderation, NewAccount, Restraint, RestraintKind, Seals, Seat, Session,
    SystemClock, TimeSource, Token, TokenScopes,
};
use quorate_runtime::{Answer, Games, GamesSettings, Ports};
use quorate_server::app::state::digest_of;
use quorate_server::app::visitor::session_digest;
use quorate_server::security::session::{Cookies, SessionToken};
use quorate_store::{Store, StoreOptions};
use quorate_worker::judges::{JudgesSettings, WorkerJudges};
use quorate_worker::process::Program;
use running::{Server, done};
use serde_json::{Value, json};

/// This program.
const QUORATE: &str = env!("CARGO_BIN_EXE_quorate");

/// The word of the token by which tests call the API.
const TOKEN: &str = "a word that only this test knows";

/// How often workers are killed, unless `QUORATE_KILLS` says otherwise. `QUORATE_SEED` says at which moments.
const KILLS: u64 = 50;

/// A server whose API and workers are asked for.
struct Served(Server);

impl Served {
    fn start(data: &Path, law: &str) -> Self {
        Self(Server::with(data, &["--law", law]))
    }

    /// Asks for something; gives the status and what was answered.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let head = format!("Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n");
        self.said(method, path, &head, body)
    }

    /// The same in a browser in which somebody is signed in.
    fn browse(&self, method: &str, path: &str, session: &str, body: &str) -> (u16, String) {
        let head = format!(
            "Cookie: quorate={session}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        );
        self.said(method, path, &head, body)
    }

    fn said(&self, method: &str, path: &str, head: &str, body: &str) -> (u16, String) {
        let mut line = TcpStream::connect(&self.0.address).expect("the server answers");
        write!(
            line,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{head}Content-Length: {}\r\n\r\n{body}",
            self.0.address,
            body.len()
        )
        .expect("it takes a request");
        let mut answer = String::new();
        line.read_to_string(&mut answer).expect("a whole answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).expect("a status");
        (status.parse().expect("a number"), body.to_owned())
    }

    /// The numbers of its workers of a kind.
    fn workers(&self, kind: &str) -> Vec<String> {
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

fn signal(signal: &str, id: &str) {
    let done = Command::new("kill").args([signal, id]).status();
    assert!(done.expect("kill runs").success(), "{signal} {id}");
}

/// Kills the workers of this very process, whatever they do.
fn kill_own_workers() {
    let own = std::process::id().to_string();
    let found = Command::new("pgrep")
        .args(["-P", &own, "-f", "law-worker judges"])
        .output();
    let found = String::from_utf8(found.expect("pgrep runs").stdout).expect("numbers");
    for id in found.lines() {
        // It may have been replaced meanwhile.
        drop(
            Command::new("kill")
                .args(["-KILL", id])
                .stderr(Stdio::null())
                .status(),
        );
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |word| word.parse().expect("a number"))
}

/// The value of a form's hidden field.
fn hidden(page: &str, name: &str) -> String {
    let from = page.split_once(&format!("name=\"{name}\" value=\""));
    let (_, rest) = from.unwrap_or_else(|| panic!("no {name} in {page}"));
    rest.split('"').next().expect("a value").to_owned()
}

/// A folder with a game, `town`, and an account with a token that plays its founder.
fn folder() -> (tempfile::TempDir, tokio::runtime::Runtime) {
    let folder = tempfile::tempdir().expect("a folder");
    done(&["new", "one-page", "--id", "town"], folder.path());
    let waiting = tokio::runtime::Runtime::new().expect("a runtime");
    waiting.block_on(async {
        let store = Store::open(folder.path(), StoreOptions::default());
        let store = store.await.expect("the store opens");
        let account = NewAccount {
            name: "Anna".to_owned(),
            mail: None,
            password: None,
            operator: true,
            made_at: Moment(0),
        };
        let account = store.make(&account).await.expect("an account");
        let token = Token {
            digest: digest_of(TOKEN),
            account,
            label: "a test".to_owned(),
            scopes: TokenScopes::all(),
            game: None,
            made_at: Moment(0),
            ends_at: None,
        };
        store.make_token(&token).await.expect("a token");
        let (game, player) = founder(&store).await;
        let seat = Seat {
            game,
            player,
            account,
        };
        store.take_seat(&seat).await.expect("a seat");
    });
    (folder, waiting)
}

/// The game, and who founded it.
async fn founder(store: &Store) -> (GameId, quorate_kernel::PlayerId) {
    let game: GameId = "town".parse().expect("a word for a game");
    let (journal, seals): (&dyn Journal, &dyn Seals) = (store, store);
    let opened = quorate_runtime::fold::open(journal, seals, &game).await;
    let opened = opened.expect("the game opens");
    let player = *opened.state.people.keys().next().expect("a founder");
    (game, player)
}

/// Changes that add a rule.
fn draft() -> String {
    let rule = json!({ "do": "add_rule", "id": "tea", "text": "# Tea\n\nThere is tea at five." });
    json!({ "changes": [rule] }).to_string()
}

/// Answers without the moment at which they were asked for.
fn timeless(answers: Vec<(u16, String)>) -> Vec<(u16, String)> {
    let timeless = |(status, answer): (u16, String)| {
        let Ok(Value::Object(mut said)) = serde_json::from_str(&answer) else {
            return (status, answer);
        };
        said.remove("now");
        said.remove("at");
        (status, Value::Object(said).to_string())
    };
    answers.into_iter().map(timeless).collect()
}

#[test]
fn both_hosts_give_the_same_answers() {
    let (folder, _waiting) = folder();
    let paths = [
        "/api/v1/games/town",
        "/api/v1/games/town/rules",
        "/api/v1/games/town/values",
        "/api/v1/games/town/players",
        "/api/v1/games/town/posts",
        "/api/v1/games/town/events",
    ];
    let asked = |law: &str| -> Vec<(u16, String)> {
        let server = Served::start(folder.path(), law);
        let read = paths.iter().map(|path| server.ask("GET", path, ""));
        let mut answers: Vec<_> = read.collect();
        answers.push(server.ask("POST", "/api/v1/games/town/preview", "{\"changes\": 7}"));
        answers.push(server.ask("GET", "/api/v1/games/nowhere/rules", ""));
        let (status, page) = server.ask("GET", "/g/town/tracker", "");
        answers.push((status, page.contains("<h1").to_string()));
        answers
    };
    let (here, there) = (asked("in-process"), asked("workers"));
    let (here, there) = (timeless(here), timeless(there));
    for (path, (here, there)) in paths.iter().zip(here.iter().zip(&there)) {
        assert_eq!(here, there, "{path}");
        assert_eq!(here.0, 200, "{path}: {}", here.1);
    }
    assert_eq!(here, there);
}

#[test]
fn a_preview_that_does_not_end_is_stopped_and_the_next_one_is_answered() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    let preview = |server: &Served| server.ask("POST", "/api/v1/games/town/preview", &draft());
    let (status, before) = preview(&server);
    assert_eq!(status, 200, "{before}");

    // A worker that says nothing more is as one whose code goes on for ever, whatever the code.
    let workers = server.workers("previews");
    assert!(!workers.is_empty(), "previews have workers");
    for id in &workers {
        signal("-STOP", id);
    }
    let (status, stopped) = preview(&server);
    assert_eq!(status, 503, "{stopped}");
    assert!(stopped.contains("took longer than 3 seconds"), "{stopped}");
    let (status, page) = server.ask("GET", "/api/v1/games/town/rules", "");
    assert_eq!(status, 200, "pages have workers of their own: {page}");
    let (status, after) = preview(&server);
    assert_eq!(status, 200, "{after}");
    let left = server.workers("previews");
    assert!(workers.iter().all(|id| !left.contains(id)), "it is killed");
}

#[test]
fn a_post_goes_through_a_worker_unless_its_writer_is_muted() {
    let (folder, waiting) = folder();
    let session = SessionToken::fresh().expect("a random source");
    let cookies = Cookies { is_secure: false };
    let cookie = cookies.set(&session, 60);
    let cookie = cookie.to_str().expect("it is text");
    let word = cookie.trim_start_matches("quorate=").split(';').next();
    let word = word.expect("a value");
    let muted = async |until: Option<Moment>| {
        let store = Store::open(folder.path(), StoreOptions::default()).await;
        let store = store.expect("the store opens");
        let account = store.account_by_name("Anna").await.expect("an answer");
        let account = account.expect("an account").id;
        let restraint = Restraint {
            kind: RestraintKind::Muted,
            until,
            why: "Too many words".to_owned(),
        };
        let kept = store.restrain(account, &restraint).await;
        kept.expect("it is kept");
    };
    waiting.block_on(async {
        let store = Store::open(folder.path(), StoreOptions::default()).await;
        let store = store.expect("the store opens");
        let account = store.account_by_name("Anna").await.expect("an answer");
        let now = SystemClock.now();
        let begun = Session {
            digest: session_digest(&session),
            account: account.expect("an account").id,
            began_at: now,
            ends_at: now + Span::days(1),
        };
        store.begin_session(&begun).await.expect("a session");
    });
    let post = |title: &str| {
        let server = Served::start(folder.path(), "workers");
        let form = "/g/town/new/Proposal";
        let (status, page) = server.browse("GET", form, word, "");
        assert_eq!(status, 200, "{page}");
        let body = format!(
            "csrf={}&key={}&title={title}&body=Words&do=post",
            hidden(&page, "csrf"),
            hidden(&page, "key")
        );
        let answered = server.browse("POST", form, word, &body);
        let (_, posts) = server.ask("GET", "/api/v1/games/town/posts", "");
        (answered, posts.contains(title))
    };

    // A restraint that is over keeps nobody from anything.
    waiting.block_on(muted(Some(Moment(1))));
    let ((status, page), is_there) = post("Lamps");
    assert_eq!((status, is_there), (303, true), "{page}");

    waiting.block_on(muted(None));
    let ((status, page), is_there) = post("Bells");
    assert_eq!((status, is_there), (403, false), "{page}");
    assert!(page.contains("Too many words"), "{page}");
}

#[test]
fn a_worker_has_no_files_no_network_and_no_processes() {
    let (folder, _waiting) = folder();
    let server = Served::start(folder.path(), "workers");
    for kind in ["previews", "pages", "judges"] {
        let workers = server.workers(kind);
        let id = workers.first().expect("a worker of each kind");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("its status");
        assert!(status.contains("\nSeccomp:\t2\n"), "{kind}: {status}");
        assert!(status.contains("\nNoNewPrivs:\t1\n"), "{kind}: {status}");
        let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).expect("its limits");
        let memory = limits
            .lines()
            .find(|line| line.starts_with("Max data size"));
        assert!(
            memory.is_some_and(|line| line.contains("536870912")),
            "{limits}"
        );
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_workers_are_killed() {
    let (folder, waiting) = folder();
    waiting.block_on(async {
        let store = Store::open(folder.path(), StoreOptions::default());
        let store = Arc::new(store.await.expect("the store opens"));
        let program = Program {
            path: QUORATE.into(),
            words: vec!["law-worker".into(), "judges".into()],
        };
        let settings = JudgesSettings {
            command: Duration::from_secs(10),
            workers_max: 2,
        };
        let judges = WorkerJudges::new(program, settings);
        let ports = Ports {
            journal: store.clone(),
            seals: store.clone(),
            judges: Arc::new(judges.clone()),
            clock: Arc::new(SystemClock),
            secret: store.secret().expect("a secret"),
            others: None,
        };
        let games = Games::start(ports, GamesSettings::default())
            .await
            .expect("games start");
        let (game, player) = founder(&store).await;
        let mut kept = Vec::new();
        let (kills, mut chance) = (number("QUORATE_KILLS", KILLS), number("QUORATE_SEED", 7));
        for nth in 0..kills {
            let act = Act::Dice {
                line: typed("DICE6"),
            };
            let (games, game, key) = (games.clone(), game.clone(), format!("roll {nth}"));
            let actor = Actor::Player(player);
            let sent = tokio::spawn(async move { games.send(&game, actor, key.into(), act).await });
            // Somewhere between before the worker has heard of it and after it has answered.
            chance = chance
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            for _ in 0..(chance >> 33) % 3_000 {
                tokio::task::yield_now().await;
            }
            kill_own_workers();
            let answer = sent.await.expect("it is answered");
            let Ok(Answer::Kept(receipt)) = answer else {
                panic!("roll {nth}: {answer:?}");
            };
            kept.push(receipt.seq);
        }
        assert!(kept.is_sorted() && kept.len() as u64 == kills);
        assert!(judges.standing().ended > 0, "workers were killed");
        games.close().await.expect("games end");
        let row = store.game(&game).await.expect("a row").expect("the game");
        assert_eq!(Some(&row.head.seq), kept.last());
    });
    drop(waiting);
    // What workers judged, this process judges again.
    let verified = Command::new(QUORATE)
        .args(["verify", "town", "--data"])
        .arg(folder.path())
        .output()
        .expect("it verifies");
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success(), "{said}");
}
