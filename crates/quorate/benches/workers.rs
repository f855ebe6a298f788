//! What workers cost: a vote in a worker against one in this process, rows of orders against single ones, how long a vote waits
//! whose worker is killed, and the memory of a
//! server of a thousand games. `cargo bench -p quorate --bench workers` prints the rows of `docs/performance.md`;
//! `QUORATE_PROGRAM` names another build of the program whose server is looked at.
#![expect(clippy::print_stdout, reason = "a benchmark speaks on standard output")]
#![allow(clippy::unwrap_used, reason = "a benchmark ends where something fails")]
#![allow(dead_code, reason = "what is asserted is for the test")]

#[path = "../../quorate-server/tests/api/book.rs"]
mod book;
#[path = "../src/cmd/bench/people.rs"]
mod people;
#[path = "../tests/hostile/site.rs"]
mod site;
mod towns;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use people::{account, admits, applies, founder, posts};
use quorate_engine::LawCache;
use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Id, Moment, PlayerId, PostId};
use quorate_runtime::in_process::InProcess;
use quorate_runtime::judge::{GameJudge, Judged, Judges};
use quorate_runtime::ports::SystemClock;
use quorate_runtime::{Games, GamesSettings, Ports};
use quorate_store::{Store, StoreOptions};
use quorate_worker::judges::{JudgesSettings, WorkerJudges};
use quorate_worker::process::Program;
use serde_json::{Value as Json, json};
use site::running::program;
use site::{Site, now, pause};
use towns::{BOOK, PLAYERS, found, settle, town};

/// How many votes are timed, and how many rows.
const VOTES: u64 = 600;
const ROWS: u64 = 20;

/// How many orders wait together.
const ROW: u64 = 64;

/// How often a worker is killed while it judges, and how often while it waits.
const KILLS: u64 = 100;

/// How many games there are, and how many of them are busy.
const GAMES: usize = 1_000;
const BUSY: usize = 50;

/// What the server may need for games that are awake, its workers left out.
const ALONE_MIB: u64 = 200;

/// How long the busy ones are looked at.
const LOOKED_AT: Duration = Duration::from_mins(1);

const SECRET: [u8; 32] = [7; 32];

fn main() {
    bare();
    let mut played = Played::new();
    played.votes();
    played.rows();
    played.kills();
    thousand();
}

/// What a round trip between two threads costs here if the other one answers at once. Waking a thread takes five times as long on some
/// machines as on others.
fn bare() {
    let (mut ours, mut theirs) = UnixStream::pair().unwrap();
    let answers = std::thread::spawn(move || {
        let mut word = [0];
        while theirs.read_exact(&mut word).is_ok() {
            theirs.write_all(&word).unwrap();
        }
    });
    let ask = |ours: &mut UnixStream| {
        ours.write_all(&[1]).unwrap();
        ours.read_exact(&mut [0]).unwrap();
    };
    let mut times: Vec<_> = (0..VOTES).map(|_| timed(|| ask(&mut ours))).collect();
    let middle = median(&mut times).as_micros();
    println!("a question and an answer, and nothing else: {middle} µs");
    drop(ours);
    answers.join().unwrap();
}

/// A game that a judge here and one in a worker hold alike.
struct Played {
    here: Box<dyn GameJudge>,
    there: Box<dyn GameJudge>,
    at: Moment,
    keys: u64,
    players: Vec<PlayerId>,
    post: PostId,
}

impl Played {
    fn new() -> Self {
        let workers = Program {
            path: program(),
            words: vec!["law-worker".into(), "judges".into()],
        };
        let settings = JudgesSettings {
            command: Duration::from_secs(10),
            workers_max: 1,
        };
        let game: GameId = "town".parse().unwrap();
        let begin = |judges: &dyn Judges| judges.open(&game, State::default(), <_>::default());
        let mut played = Self {
            here: begin(&InProcess::new(&Arc::new(LawCache::default()))),
            there: begin(&WorkerJudges::new(workers, settings)),
            at: "2031-05-04T09:00Z".parse().unwrap(),
            keys: 0,
            players: vec![founder()],
            post: PostId(Id::new(EventSeq(1), 0)),
        };
        let founding = book::read(BOOK).founding("A town", "Player 0").unwrap();
        played.both(Actor::Operator, Act::Found(Box::new(founding)));
        for nth in 1..PLAYERS {
            let seq = played.both(Actor::Newcomer, applies(&format!("Player {nth}")));
            let new = PlayerId(Id::new(seq, 0));
            played.both(Actor::Player(founder()), admits(new));
            played.players.push(new);
        }
        let seq = played.both(Actor::Player(founder()), posts("Proposal"));
        played.post = PostId(Id::new(seq, 0));
        played
    }

    fn command(&mut self, actor: Actor, act: Act) -> Command {
        self.keys += 1;
        self.at = Moment(self.at.0 + 1_000);
        Command {
            at: self.at,
            actor,
            key: format!("k{}", self.keys).into(),
            act,
        }
    }

    /// Has both judge something that the law takes.
    fn both(&mut self, actor: Actor, act: Act) -> EventSeq {
        let command = self.command(actor, act);
        let (here, there) = (&mut self.here, &mut self.there);
        let (here, there) = (
            here.judge(&command, &SECRET),
            there.judge(&command, &SECRET),
        );
        assert_eq!(here, there, "both judge alike");
        match here {
            Judged::Event(event) => event.seq,
            other => panic!("{other:?}"),
        }
    }

    fn vote(&mut self) -> Command {
        let nth = usize::try_from(self.keys).unwrap() % self.players.len();
        let text = if self.keys.is_multiple_of(2) {
            ":for:"
        } else {
            ":against:"
        };
        let (actor, post) = (Actor::Player(self.players[nth]), self.post);
        let text = typed(text);
        self.command(actor, Act::Comment { post, text })
    }

    /// A vote here and there, in turns.
    fn votes(&mut self) {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for _ in 0..VOTES {
            let vote = self.vote();
            here.push(timed(|| self.here.judge(&vote, &SECRET)));
            there.push(timed(|| self.there.judge(&vote, &SECRET)));
        }
        let (here, there) = (median(&mut here), median(&mut there));
        println!("a vote judged in process: {} µs", here.as_micros());
        println!("a vote judged in a worker: {} µs", there.as_micros());
        println!(
            "over in process: {} µs of 150 µs",
            there.saturating_sub(here).as_micros()
        );
    }

    /// A worker is killed while it judges, and while it waits.
    fn kills(&mut self) {
        let (mut under_way, mut next) = (Vec::new(), Vec::new());
        for nth in 0..KILLS {
            let (worker, vote) = (own_worker(), self.vote());
            let killer = std::thread::spawn(move || {
                pause(Duration::from_micros(nth * 20));
                killed(&worker);
            });
            under_way.push(timed(|| self.is_kept(&vote)));
            killer.join().unwrap();
            // The one that judged it is there, or the one that was killed after it had.
            let worker = own_worker();
            if !worker.is_empty() {
                killed(&worker);
            }
            let vote = self.vote();
            next.push(timed(|| self.is_kept(&vote)));
        }
        let (whole, after) = (Duration::from_millis(300), Duration::from_millis(150));
        waits("a vote whose worker is killed", &mut under_way, whole);
        waits("the next vote after its worker is gone", &mut next, after);
    }

    fn is_kept(&mut self, vote: &Command) {
        let judged = self.there.judge(vote, &SECRET);
        assert!(matches!(judged, Judged::Event(_)), "{judged:?}");
    }

    /// Orders that wait together go over in one message.
    fn rows(&mut self) {
        let (mut alone, mut in_row) = (Vec::new(), Vec::new());
        for _ in 0..ROWS {
            let votes: Vec<Command> = (0..ROW).map(|_| self.vote()).collect();
            alone.push(timed(|| {
                for vote in &votes {
                    self.there.judge(vote, &SECRET);
                }
            }));
            let votes: Vec<Command> = (0..ROW).map(|_| self.vote()).collect();
            in_row.push(timed(|| {
                let judged = self.there.judge_in_row(&votes, &SECRET);
                assert_eq!(judged.len(), votes.len(), "one round trip");
            }));
        }
        let each = |times: &mut Vec<Duration>| median(times) / u32::try_from(ROW).unwrap();
        println!(
            "an order of 64 one by one: {} µs; in one round trip: {} µs",
            each(&mut alone).as_micros(),
            each(&mut in_row).as_micros()
        );
    }
}

/// The worker that judges.
fn own_worker() -> String {
    let own = std::process::id().to_string();
    let words = ["-n", "-P", &own, "-f", "law-worker judges"];
    let found = std::process::Command::new("pgrep").args(words).output();
    let found = String::from_utf8(found.unwrap().stdout).unwrap();
    found.trim().to_owned()
}

fn killed(worker: &str) {
    let kill = std::process::Command::new("kill")
        .args(["-KILL", worker])
        .status();
    assert!(kill.unwrap().success(), "there is a worker to be killed");
}

/// How long somebody waited after kills, against how long they may.
fn waits(what: &str, times: &mut [Duration], most: Duration) {
    let late = times.iter().filter(|time| **time > most).count();
    let (of, middle) = (times.len(), median(times));
    let longest = times.last().copied().unwrap_or_default();
    println!(
        "{what}: median {} ms, longest {} ms, {late} of {of} over {} ms",
        middle.as_millis(),
        longest.as_millis(),
        most.as_millis()
    );
}

fn timed<T>(what: impl FnOnce() -> T) -> Duration {
    let before = now();
    drop(what());
    now() - before
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A server of a thousand games, all of them awake and fifty of them busy.
fn thousand() {
    let folder = tempfile::tempdir().unwrap();
    let waiting = tokio::runtime::Runtime::new().unwrap();
    let post = waiting.block_on(founded(folder.path()));
    let site = Site::start(folder.path());
    println!("a server, just started: {} MiB", site.proportional_mib());
    for nth in 0..GAMES {
        let read = site.ask(
            "GET",
            &format!("/api/v1/games/{}", town(nth)),
            "",
            &Json::Null,
        );
        assert_eq!(read.status, 200, "{}", read.body);
    }
    println!(
        "{GAMES} games awake: {} MiB, the server alone {} MiB of {ALONE_MIB} MiB",
        site.proportional_mib(),
        site.server_mib()
    );
    let (begun, mut most, mut done) = (now(), 0, 0);
    for nth in (0..BUSY).cycle() {
        if now() - begun >= LOOKED_AT {
            break;
        }
        let (word, vote) = (
            town(nth),
            json!({ "vote": if (done / BUSY).is_multiple_of(2) { "for" } else { "against" } }),
        );
        let path = format!("/api/v1/games/{word}/posts/{post}/comments");
        let voted = site.ask("POST", &path, &word, &vote);
        assert!([201, 429].contains(&voted.status), "{}", voted.body);
        let read = site.ask("GET", &format!("/g/{word}/post/{post}"), "", &Json::Null);
        assert_eq!(read.status, 200, "{}", read.body);
        done += 1;
        most = most.max(site.proportional_mib());
    }
    println!(
        "{GAMES} games, {BUSY} of them busy with {done} votes and pages in {} s: at most {most} MiB of 1024 MiB, workers included",
        LOOKED_AT.as_secs()
    );
}

/// Founds the games; gives the post on which each votes, which has the same number in all.
async fn founded(folder: &std::path::Path) -> String {
    let store = Store::open(folder, StoreOptions::default()).await;
    let store = Arc::new(store.unwrap());
    let ports = Ports {
        journal: store.clone(),
        seals: store.clone(),
        judges: Arc::new(InProcess::default()),
        clock: Arc::new(SystemClock),
        secret: store.secret().unwrap(),
        others: None,
    };
    let games = Games::start(ports, GamesSettings::default()).await.unwrap();
    let book = book::read(BOOK);
    let mut post = String::new();
    for nth in 0..GAMES {
        found(&games, &book, nth).await;
        post = Id::new(settle(&games, nth).await, 0).to_string();
        if nth < BUSY {
            let (word, seat) = (town(nth), (town(nth).parse().unwrap(), founder()));
            let made = account(&*store, &word, &word, false, &[seat]).await;
            made.unwrap();
        }
    }
    games.close().await.unwrap();
    post
}
