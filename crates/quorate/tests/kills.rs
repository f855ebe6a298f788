//! A server under load that is killed at random, or whose disk fails: nothing acknowledged is lost, doubled or renumbered.
//!
//! `QUORATE_KILLS` says how often it is killed (50 times, if nothing is said), `QUORATE_SEED` where chance begins. Each kill
//! follows from the seed and its number, so a failure names both. `QUORATE_FAULTS` says in how many servers each fault is put
//! in, ten times or more in each.
#![cfg(unix)]

mod running;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use running::{Server, can_be_traced, done};
use serde_json::{Value as Json, json};

/// How often the server is killed where nothing is said.
const KILLS: u64 = 50;

/// The most commands of one account between two kills: fewer than its allowance.
const COMMANDS_MAX: u64 = 50;

/// How often founding a game is tried.
const FOUNDING_TRIES: usize = 10;

/// An answer: its status, its headers, its body.
type Answer = (u16, String, String);

/// Asks a server something; nothing where it is gone before it has answered.
fn ask(address: &str, method: &str, path: &str, headers: &str, body: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    )
    .ok()?;
    let mut said = Vec::new();
    stream.read_to_end(&mut said).ok()?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let (head, body) = said.split_once("\r\n\r\n")?;
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    if length.is_some_and(|length| length.parse() != Ok(body.len())) {
        return None;
    }
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    Some((status, head.to_owned(), body.to_owned()))
}

/// Somebody with a game of their own, in which they throw dice.
struct Player {
    token: String,
    /// What their browser sends as its cookie.
    session: String,
    game: String,
    /// What was acknowledged: the event of each key.
    kept: BTreeMap<String, u64>,
}

impl Player {
    /// Signs up in a browser, makes a token and founds a game.
    fn new(address: &str, name: &str) -> Self {
        Self::founding(address, name, "one-page")
    }

    /// The same with a game of a rulebook.
    fn founding(address: &str, name: &str, rulebook: &str) -> Self {
        let (_, head, page) = ask(address, "GET", "/sign-up", "", "").expect("a page");
        let cookie = cookie(&head);
        let form = format!(
            "csrf={}&name={name}&password=lamps+on+the+quay&mail=",
            csrf(&page)
        );
        let sent = "content-type: application/x-www-form-urlencoded\r\n";
        let headers = format!("cookie: {cookie}\r\n{sent}");
        let (status, head, page) =
            ask(address, "POST", "/sign-up", &headers, &form).expect("an account");
        assert_eq!(status, 303, "{page}");
        let headers = format!("cookie: {}\r\n", cookie_of(&head, "quorate"));
        let (_, _, page) = ask(address, "GET", "/settings", &headers, "").expect("the settings");
        let form = format!(
            "csrf={}&old=lamps+on+the+quay&label=load&scopes=vote&scopes=post&scopes=act&scopes=admin",
            csrf(&page)
        );
        let (_, _, page) = ask(
            address,
            "POST",
            "/settings/token",
            &format!("{headers}{sent}"),
            &form,
        )
        .expect("a token");
        let word = page.split("<code>q_").nth(1).expect("the token");
        let word: String = word.chars().take_while(char::is_ascii_hexdigit).collect();
        let mut player = Self {
            token: format!("q_{word}"),
            session: headers,
            game: String::new(),
            kept: BTreeMap::new(),
        };
        let new = json!({ "rulebook": rulebook, "title": format!("The game of {name}") });
        // Where much else runs, a worker may not have read the rules in time; the key makes a second try harmless.
        let mut tries = (0..FOUNDING_TRIES).map(|_| {
            let sent = player.send(address, "/api/v1/games", "found", &new);
            sent.expect("an answer")
        });
        let founded = tries.find(|(status, _)| matches!(status, 200 | 201));
        let (_, founded) = founded.expect("a game");
        let word = founded["game"].as_str().expect("its word");
        word.clone_into(&mut player.game);
        player
    }

    fn send(&self, address: &str, path: &str, key: &str, body: &Json) -> Option<(u16, Json)> {
        let headers = format!(
            "authorization: Bearer {}\r\nidempotency-key: {key}\r\ncontent-type: application/json\r\n",
            self.token
        );
        let (status, _, said) = ask(address, "POST", path, &headers, &body.to_string())?;
        Some((status, serde_json::from_str(&said).unwrap_or_default()))
    }

    /// Throws a die under a key; what is acknowledged is remembered.
    fn throw(&mut self, address: &str, key: String) -> Option<u16> {
        let path = format!("/api/v1/games/{}/dice", self.game);
        let (status, said) = self.send(address, &path, &key, &json!({ "line": "DICE6" }))?;
        if status == 201 || status == 200 {
            let seq = said["event"]["seq"].as_u64().expect("an event");
            self.kept.insert(key, seq);
        }
        Some(status)
    }

    /// Whether some of what was acknowledged is there as it was.
    fn check(&self, address: &str, place: &str, newest: usize) {
        for (key, seq) in self.kept.iter().rev().take(newest) {
            let path = format!("/api/v1/games/{}/dice", self.game);
            let sent = self.send(address, &path, key, &json!({ "line": "DICE6" }));
            let (status, said) = sent.expect("it answers");
            assert_eq!(status, 200, "{place}: {key} was acknowledged: {said}");
            assert_eq!(
                said["event"]["seq"].as_u64(),
                Some(*seq),
                "{place}: {key} is what it was"
            );
        }
    }
}

fn csrf(page: &str) -> String {
    let field = page.split("name=\"csrf\" value=\"").nth(1).expect("a form");
    field.split('"').next().unwrap_or_default().to_owned()
}

fn cookie(head: &str) -> String {
    cookie_of(head, "quorate")
}

fn cookie_of(head: &str, name: &str) -> String {
    let start = format!("set-cookie: {name}=");
    let line = head.lines().rev().find(|line| line.starts_with(&start));
    let line = line.unwrap_or_else(|| panic!("a session: {head}"));
    line["set-cookie: ".len()..]
        .split(';')
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The server takes as many connections from here as everybody makes.
const ROOMY: [&str; 2] = ["--connections-per-address", "1000"];

/// Starts a server that may be killed.
fn start(data: &Path) -> Server {
    Server::with(data, &ROOMY)
}

/// Starts a server into which strace puts a fault, and notes that: which calls fail, and how.
fn with_fault(call: &str, fault: &str, data: &Path, noted: &Path) -> Server {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{fault}"));
    // The tracer goes aside, so that the server is our own child.
    let noted = noted.to_str().expect("a plain path");
    let aside = ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", noted];
    let put_in = ["-e", trace.as_str(), "-e", inject.as_str()];
    Server::under(&[aside.as_slice(), &put_in].concat(), data, &ROOMY)
}

/// Chance that can be repeated.
fn chance(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

fn said(name: &str, usual: u64) -> u64 {
    match std::env::var(name) {
        Ok(said) => said
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {said}")),
        Err(_) => usual,
    }
}

/// Lets everybody send until so many commands were answered, does then what is to be done, and waits until nobody sends.
fn load(address: &str, players: &mut [Player], round: u64, commands: u64, end: impl FnOnce()) {
    let over = AtomicBool::new(false);
    let (answered, answers) = mpsc::channel();
    std::thread::scope(|scope| {
        for (number, player) in players.iter_mut().enumerate() {
            let (answered, over) = (answered.clone(), &over);
            scope.spawn(move || {
                for nth in 0..COMMANDS_MAX {
                    let is_over = over.load(Ordering::Relaxed);
                    let answer = player.throw(address, format!("r{round}-p{number}-{nth}"));
                    // Whoever gets no answer has lost the server, and whoever sends too often has to wait.
                    if is_over || answer.is_none_or(|status| status == 429) {
                        return;
                    }
                    if answered.send(()).is_err() {
                        return;
                    }
                }
            });
        }
        drop(answered);
        // Ends too when everybody has gone.
        let enough = usize::try_from(commands).unwrap_or(usize::MAX);
        answers.iter().take(enough).for_each(drop);
        end();
        over.store(true, Ordering::Relaxed);
    });
}

fn verified(data: &Path, players: &[Player], place: &str) {
    for player in players {
        let verdict = done(&["verify", &player.game], data);
        assert_eq!(verdict["holds"], true, "{place}: {verdict}");
        let events = verdict["events"].as_u64().expect("a number");
        let mut seqs: Vec<_> = player.kept.values().collect();
        seqs.sort_unstable();
        seqs.dedup();
        assert_eq!(
            seqs.len(),
            player.kept.len(),
            "{place}: no event has two keys"
        );
        assert!(
            seqs.last().is_none_or(|last| **last <= events),
            "{place}: the log is too short"
        );
    }
}

#[test]
fn what_was_acknowledged_outlives_every_kill() {
    let (kills, seed) = (said("QUORATE_KILLS", KILLS), said("QUORATE_SEED", 1));
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("data");
    let first = start(&data);
    let mut players = ["Ada", "Ben", "Cyd"].map(|name| Player::new(&first.address, name));
    first.kill();
    for round in 0..kills {
        let place = format!("seed {seed}, kill {round}");
        let victim = start(&data);
        for player in &players {
            player.check(&victim.address, &place, 3);
        }
        let commands = chance(seed, round) % 40;
        let address = victim.address.clone();
        load(&address, &mut players, round, commands, || victim.kill());
        if round % 10 == 9 || round + 1 == kills {
            verified(&data, &players, &place);
        }
    }
    let last = start(&data);
    for player in &players {
        // Each asks within its allowance.
        player.check(&last.address, "at the end", 40);
    }
    last.kill();
}

/// A fault of the disk, as `strace` puts it into a server: which calls fail, how, which of them is the first at the earliest, and
/// which after it.
type Fault = (&'static str, &'static str, u64, After);

/// Which calls fail after the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// So many right after it.
    Next(u64),
    /// One of so many, until it were ten.
    Each(u64),
    /// All.
    All,
}

const FAULTS: [Fault; 6] = [
    ("pwrite64", "error=ENOSPC", 60, After::Next(30)),
    ("pwrite64", "error=ENOSPC", 60, After::Each(11)),
    ("pwrite64", "error=EIO", 75, After::Each(11)),
    ("pwrite64", "error=EDQUOT", 90, After::Each(11)),
    ("fsync", "error=EIO", 15, After::Each(4)),
    ("fsync", "delay_enter=20000", 5, After::All),
];

/// How often a fault is put into one server that comes again and again.
const TIMES: u64 = 10;

/// By how many calls a fault may come later than at the earliest.
const LATER_MAX: u64 = 20;

/// How strace is told about a fault; the first of a kind comes at the earliest.
fn told((_, how, earliest, after): Fault, seed: u64, round: u64) -> String {
    let later = if round == 0 {
        0
    } else {
        chance(seed, round) % LATER_MAX
    };
    let from = earliest + later;
    match after {
        After::All => format!("{how}:when={from}+"),
        After::Next(count) => format!("{how}:when={from}..{}", from + count),
        After::Each(step) => format!("{how}:when={from}..{}+{step}", from + step * (TIMES - 1)),
    }
}

/// How often a fault was put in, as the tracer noted it.
fn put_in(noted: &Path) -> u64 {
    let noted = std::fs::read_to_string(noted).expect("the tracer notes");
    noted.matches("(INJECTED)").count() as u64
}

#[test]
fn what_was_acknowledged_outlives_a_disk_that_fails() {
    if !can_be_traced() {
        return;
    }
    let (rounds, seed) = (said("QUORATE_FAULTS", 1), said("QUORATE_SEED", 1));
    for (kind, round) in FAULTS
        .into_iter()
        .flat_map(|kind| (0..rounds).map(move |round| (kind, round)))
    {
        let (call, fault) = (kind.0, told(kind, seed, round));
        let place = format!("seed {seed}, {call} {fault}");
        let parent = tempfile::tempdir().expect("a folder");
        let data = parent.path().join("data");
        let first = start(&data);
        let mut players = ["Ada", "Ben", "Cyd"].map(|name| Player::new(&first.address, name));
        // What it wrote ahead is in the file, so that the next one begins with few writes.
        first.stop();
        let noted = parent.path().join("noted");
        let victim = with_fault(call, &fault, &data, &noted);
        let address = victim.address.clone();
        load(&address, &mut players, 0, COMMANDS_MAX, || {});
        let read = ask(&address, "GET", "/", "", "");
        let is_served = read.is_some_and(|(status, _, _)| status == 200);
        assert!(is_served, "{place}: what can be served is served");
        if kind.3 != After::All {
            // The cause is gone, and so is its effect.
            load(&address, &mut players, 1, 10, || {});
            let throw = players[0].throw(&address, "after the fault".to_owned());
            assert!(matches!(throw, Some(201 | 429)), "{place}: {throw:?}");
        }
        victim.end();
        if let After::Each(_) = kind.3 {
            let times = put_in(&noted);
            assert!(times >= TIMES, "{place}: put in {times} times");
        }
        let last = start(&data);
        for player in &players {
            player.check(&last.address, &place, 40);
        }
        last.kill();
        verified(&data, &players, &place);
    }
}

/// A request that came to an address on the web: the posts that it tells of, its own name, and the way to have it answered.
struct Came {
    links: Vec<String>,
    name: String,
    answer: mpsc::SyncSender<()>,
}

/// A receiver of webhooks, which answers each when it is told to; gives its address.
fn receiver(came: mpsc::Sender<Came>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/hook", listener.local_addr().expect("a port"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let came = came.clone();
            std::thread::spawn(move || receive(&stream, &came));
        }
    });
    address
}

/// Takes requests until the other end is gone.
fn receive(stream: &TcpStream, came: &mpsc::Sender<Came>) -> Option<()> {
    let (mut read, mut write) = (BufReader::new(stream), stream);
    loop {
        let (mut name, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if read.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(id) = line.strip_prefix("webhook-id: ") {
                id.clone_into(&mut name);
            }
            if let Some(count) = line.strip_prefix("content-length: ") {
                length = count.parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        read.read_exact(&mut body).ok()?;
        let body: Json = serde_json::from_slice(&body).ok()?;
        let notices = body["data"]["notices"].as_array()?.iter();
        let links = notices.filter_map(|notice| Some(notice["link"].as_str()?.to_owned()));
        let (answer, answered) = mpsc::sync_channel(1);
        let links = links.collect();
        let one = Came {
            links,
            name,
            answer,
        };
        came.send(one).ok()?;
        answered.recv().ok()?;
        write.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").ok()?;
    }
}

impl Player {
    /// Has the news of their game sent to an address.
    fn tell(&self, address: &str, receiver: &str) {
        let (session, game) = (&self.session, &self.game);
        let (_, _, page) = ask(address, "GET", "/notices", session, "").expect("a page");
        let form = format!(
            "csrf={}&game={game}&sort=webhook&address={receiver}&kinds=posted",
            csrf(&page)
        );
        let headers = format!("{session}content-type: application/x-www-form-urlencoded\r\n");
        let (status, _, page) =
            ask(address, "POST", "/notices/room", &headers, &form).expect("an answer");
        assert_eq!(status, 200, "{page}");
    }

    /// Posts a story; what is acknowledged is remembered.
    fn post(&mut self, address: &str, key: String) {
        let path = format!("/api/v1/games/{}/posts", self.game);
        let story = json!({ "category": "Story", "title": key, "body": "And so on." });
        let Some((201, said)) = self.send(address, &path, &key, &story) else {
            return;
        };
        let seq = said["event"]["seq"].as_u64().expect("an event");
        self.kept.insert(key, seq);
    }
}

/// How long what was acknowledged may take to be told.
const TELLING: Duration = Duration::from_mins(2);

#[test]
fn what_is_to_be_told_outlives_every_kill_and_comes_twice_under_one_name_alone() {
    let (kills, seed) = (said("QUORATE_KILLS", KILLS) / 5, said("QUORATE_SEED", 1));
    let site = ["--site", "http://127.0.0.1:1", "--hooks-to-loopback"];
    let flags = [ROOMY.as_slice(), &site].concat();
    let parent = tempfile::tempdir().expect("a folder");
    let data = parent.path().join("data");
    let first = Server::with(&data, &flags);
    let mut player = Player::founding(&first.address, "Ada", "adventurers-2019");
    let (came, coming) = mpsc::channel();
    player.tell(&first.address, &receiver(came));
    first.kill();
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let take = |told: &mut BTreeMap<String, Vec<String>>, place: &str| {
        let one = coming.recv_timeout(TELLING);
        let one = one.unwrap_or_else(|_| panic!("seed {seed}, {place}: something is lost"));
        for link in one.links {
            told.entry(link).or_default().push(one.name.clone());
        }
        one.answer
    };
    for round in 0..kills {
        let victim = Server::with(&data, &flags);
        for nth in 0..3 {
            player.post(&victim.address, format!("r{round}-{nth}"));
        }
        let place = format!("kill {round}");
        for _ in 0..chance(seed, round) % 3 {
            let answer = take(&mut told, &place);
            answer.send(()).expect("it waits for that");
        }
        // One more has come. It is killed before it hears that, or when it may have noted it or not.
        let answer = take(&mut told, &place);
        if round % 2 == 0 {
            answer.send(()).expect("it waits for that");
        }
        victim.kill();
    }
    let last = Server::with(&data, &flags);
    let links = player.kept.values().map(|seq| format!("/post/{seq}"));
    let links: Vec<String> = links.collect();
    assert!(
        links.len() as u64 >= 3 * kills,
        "{} were posted",
        links.len()
    );
    let is_told = |link: &String, told: &BTreeMap<String, Vec<String>>| {
        told.keys().any(|key| key.ends_with(link.as_str()))
    };
    while !links.iter().all(|link| is_told(link, &told)) {
        let answer = take(&mut told, "at the end");
        answer.send(()).expect("it waits for that");
    }
    last.kill();
    let mut twice = 0;
    for (link, names) in &told {
        let one: BTreeSet<&String> = names.iter().collect();
        assert_eq!(one.len(), 1, "seed {seed}: {link} came under {names:?}");
        twice += names.len() - 1;
    }
    assert!(twice > 0, "no kill fell between sending and noting");
    eprintln!("{} posts were told, {twice} of them once more", told.len());
}
