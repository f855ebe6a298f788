//! A node of a large site: how long it takes to start, how much memory it needs, and how much longer than a bare commit a vote
//! takes. `cargo bench -p quorate --bench node` prints it; `QUORATE_PROGRAM` names another build of the program whose node is
//! looked at, and `QUORATE_GAMES` how many games there are.
#![expect(clippy::print_stdout, reason = "a benchmark speaks on standard output")]
#![allow(clippy::unwrap_used, reason = "a benchmark ends where something fails")]
#![allow(dead_code, reason = "others need the rest of what is shared")]

#[path = "../../quorate-server/tests/api/book.rs"]
mod book;
#[path = "../src/cmd/bench/people.rs"]
mod people;
#[path = "../tests/hostile/site.rs"]
mod site;
mod towns;

use std::sync::Arc;
use std::time::Duration;

use people::{account, founder};
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{EventSeq, GameId, Id, Moment, PostId};
use quorate_runtime::in_process::InProcess;
use quorate_runtime::ports::{Journal as _, SystemClock};
use quorate_runtime::{Answer, Games, GamesSettings, Ports};
use quorate_store_postgres::PostgresStore;
use quorate_store_postgres::testing::{PrivateServer, node};
use serde_json::{Value as Json, json};
use site::{Site, now};
use towns::{BOOK, found, settle, town};

/// How many games there are, how many of them are awake, and how many of those are busy.
const GAMES: usize = 10_000;
const AWAKE: usize = 200;
const BUSY: usize = 50;

/// The event with which the proposal of those that are awake is made.
const PROPOSAL: EventSeq = EventSeq(12);

/// How many games are founded at once, and how many before those sleep.
const FOUNDED_TOGETHER: usize = 8;
const AWAKE_TOGETHER: usize = 400;

/// How long the busy ones are looked at.
const LOOKED_AT: Duration = Duration::from_mins(1);

/// How many votes are timed, and how much longer than a bare commit each may take.
const VOTES: usize = 201;
const OVER_BARE: Duration = Duration::from_millis(2);

/// What a node may need.
const START: Duration = Duration::from_secs(5);
const MEMORY_MIB: u64 = 1_024;

fn main() {
    // Tests of the whole workspace start benches with this to see that they can be started.
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("site");
    let folder = tempfile::tempdir().unwrap();
    let waiting = tokio::runtime::Runtime::new().unwrap();
    let begun = now();
    let game_count = std::env::var("QUORATE_GAMES").map_or(GAMES, |count| count.parse().unwrap());
    assert!(game_count >= AWAKE, "some are to be awake");
    waiting.block_on(founded(folder.path(), &address, game_count));
    println!("{game_count} games founded in {:.0?}", now() - begun);
    let (bare, judged) = waiting.block_on(votes(folder.path(), &address));
    let begun = now();
    let site = Site::with(
        &[],
        folder.path(),
        &["--node", "one", "--database", &address],
    );
    let started = now() - begun;
    println!(
        "a node started in {started:.1?} of {START:?}: {} MiB",
        site.proportional_mib()
    );
    for nth in 0..AWAKE {
        let word = town(nth);
        let read = site.ask("GET", &format!("/api/v1/games/{word}"), "", &Json::Null);
        assert_eq!(read.status, 200, "{}", read.body);
        vote(&site, nth, true);
    }
    println!("{AWAKE} games awake: {} MiB", site.proportional_mib());
    let asked = (0..VOTES).map(|nth| {
        let begun = now();
        cast(&site, nth % AWAKE, nth / AWAKE == 1);
        now() - begun
    });
    let asked = median(asked.collect());
    let told = |what: &str, took: Duration| {
        let times = took.as_secs_f64() / bare.as_secs_f64();
        let over = took.saturating_sub(bare);
        println!(
            "{what}: {took:.2?}, {times:.1} times a bare commit and {over:.2?} over it, of {OVER_BARE:?}"
        );
    };
    println!("a bare commit of one row: {bare:.2?}");
    told("a vote, from its command to its receipt", judged);
    told("the same over HTTP, with the answer for its sender", asked);
    let (begun, mut most, mut done) = (now(), 0, 0);
    for nth in (0..BUSY).cycle() {
        if now() - begun >= LOOKED_AT {
            break;
        }
        vote(&site, nth, (done / BUSY).is_multiple_of(2));
        done += 1;
        most = most.max(site.proportional_mib());
    }
    println!(
        "{game_count} games, {AWAKE} awake, {BUSY} of them busy with {done} votes and pages in {} s: at most {most} MiB of \
         {MEMORY_MIB} MiB, workers included",
        LOOKED_AT.as_secs()
    );
    assert!(started < START, "the start");
    assert!(most < MEMORY_MIB, "the memory");
    assert!(judged < bare + OVER_BARE, "a vote");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// How long a bare commit of one row takes, and a vote under the law of its game.
async fn votes(folder: &std::path::Path, address: &str) -> (Duration, Duration) {
    let secret = quorate_store::secret_in(folder).unwrap();
    let store = PostgresStore::open(address, secret, node("bench")).await;
    let store = Arc::new(store.unwrap());
    let games = started(&store).await;
    let game: GameId = town(0).parse().unwrap();
    let (mut bare, mut votes) = (Vec::new(), Vec::new());
    for nth in 0..VOTES {
        let begun = now();
        store.beat(Moment(0)).await.unwrap();
        bare.push(now() - begun);
        let icon = if nth % 2 == 0 { ":for:" } else { ":against:" };
        let act = Act::Comment {
            post: PostId(Id::new(PROPOSAL, 0)),
            text: typed(icon),
        };
        let begun = now();
        let key = format!("vote {nth}");
        let voted = games.send(&game, Actor::Player(founder()), key.into(), act);
        assert!(matches!(voted.await, Ok(Answer::Kept(_))));
        votes.push(now() - begun);
    }
    games.close().await.unwrap();
    store.close().await;
    (median(bare), median(votes))
}

async fn started(store: &Arc<PostgresStore>) -> Games {
    let ports = Ports {
        journal: store.clone(),
        seals: store.clone(),
        judges: Arc::new(InProcess::default()),
        clock: Arc::new(SystemClock),
        secret: store.secret(),
        others: None,
    };
    Games::start(ports, GamesSettings::default()).await.unwrap()
}

/// A vote on the post of a game.
fn cast(site: &Site, nth: usize, is_for: bool) {
    let (word, post) = (town(nth), Id::new(PROPOSAL, 0));
    let vote = json!({ "vote": if is_for { "for" } else { "against" } });
    let path = format!("/api/v1/games/{word}/posts/{post}/comments");
    let voted = site.ask("POST", &path, &word, &vote);
    assert!([201, 429].contains(&voted.status), "{}", voted.body);
}

/// A vote on the post of a game, and a page of it.
fn vote(site: &Site, nth: usize, is_for: bool) {
    cast(site, nth, is_for);
    let (word, post) = (town(nth), Id::new(PROPOSAL, 0));
    let read = site.ask("GET", &format!("/g/{word}/post/{post}"), "", &Json::Null);
    assert_eq!(read.status, 200, "{}", read.body);
}

/// Founds the games, each with a proposal, and accounts for those that will be awake.
async fn founded(folder: &std::path::Path, address: &str, game_count: usize) {
    let secret = quorate_store::secret_in(folder).unwrap();
    let store = PostgresStore::open(address, secret, node("bench")).await;
    let store = Arc::new(store.unwrap());
    let book = Arc::new(book::read(BOOK));
    let all: Vec<usize> = (0..game_count).collect();
    for some in all.chunks(AWAKE_TOGETHER) {
        let games = started(&store).await;
        let mut founding = tokio::task::JoinSet::new();
        for first in 0..FOUNDED_TOGETHER {
            let (games, book) = (games.clone(), Arc::clone(&book));
            let own: Vec<usize> = some
                .iter()
                .skip(first)
                .step_by(FOUNDED_TOGETHER)
                .copied()
                .collect();
            founding.spawn(async move {
                for nth in own {
                    found(&games, &book, nth).await;
                    if nth < AWAKE {
                        let seq = settle(&games, nth).await;
                        assert_eq!(seq, PROPOSAL, "it has the same number in all games");
                    }
                }
            });
        }
        founding.join_all().await;
        games.close().await.unwrap();
    }
    for nth in 0..AWAKE {
        let (word, seat) = (town(nth), (town(nth).parse().unwrap(), founder()));
        let made = account(&*store, &word, &word, false, &[seat]).await;
        made.unwrap();
    }
    store.close().await;
}
