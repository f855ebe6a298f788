//! What a vote costs with PostgreSQL on this machine, beside a bare commit there, and at how many nodes the database
//! becomes the limit. Prints a table.

#![expect(clippy::print_stdout, reason = "a benchmark speaks on standard output")]
#![allow(clippy::expect_used, reason = "a benchmark ends where something fails")]

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quorate_kernel::GameId;
use quorate_kernel::command::Actor;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_runtime::ports::{Journal, Nodes, Seals, ServerSecret, SystemClock};
use quorate_runtime::testing::{Counters, founding, plays};
use quorate_runtime::{Answer, Games, GamesSettings, Ports};
use quorate_store_postgres::PostgresStore;
use quorate_store_postgres::testing::{PrivateServer, node};
use sqlx::{Connection, PgConnection};

/// How often one thing alone is done.
const RUNS: usize = 301;

/// How much longer than a bare commit a vote takes at most.
const OVER_BARE: Duration = Duration::from_millis(2);

/// How many send at once, each to one of so many games.
const SENDERS: usize = 64;
const GAMES: usize = 16;

/// How many commands each of the many sends.
const COMMANDS_EACH: usize = 40;

/// How often the database is asked for small things.
const MANY: u32 = 2_000;

/// The system counts processor time in hundredths of a second.
const TICK_MS: f64 = 10.0;

fn main() {
    // Tests of the whole workspace start benches with this to see that they can be started.
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(measure());
}

async fn measure() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("votes");
    let bare = bare_commit(&address).await;
    let store = PostgresStore::open(&address, ServerSecret::new([9; 32]), node("bench")).await;
    let store = Arc::new(store.expect("the database opens"));
    let ports = Ports {
        journal: Arc::clone(&store) as Arc<dyn Journal>,
        seals: Arc::clone(&store) as Arc<dyn Seals>,
        judges: Arc::new(Counters),
        clock: Arc::new(SystemClock),
        secret: store.secret(),
        others: None,
    };
    let games = Games::start(ports, GamesSettings::default()).await;
    let games = games.expect("games start");
    let mut words = Vec::new();
    for nth in 0..GAMES {
        let game: GameId = format!("votes-{nth}").parse().expect("a good word");
        let founded = games.found(&game, Actor::Operator, "found".into(), founding());
        founded.await.expect("the game is founded");
        words.push(game);
    }
    let mut times = Vec::new();
    for run in 0..RUNS {
        let begun = now();
        send(&games, &words[0], 0, &format!("alone {run}")).await;
        times.push(now() - begun);
    }
    let vote = median(times);
    report("a bare commit of one row", &format!("{bare:.1?}"));
    report(
        "a vote alone",
        &format!(
            "{vote:.1?}, {:.1?} over that, of {OVER_BARE:?}",
            vote.saturating_sub(bare)
        ),
    );
    let is_near = vote < bare + OVER_BARE;
    under_load(&server, &games, &words).await;
    small_things(&server, &store, &words[0]).await;
    games.close().await.expect("games close");
    store.close().await;
    assert!(is_near, "a vote alone");
}

async fn under_load(server: &PrivateServer, games: &Games, words: &[GameId]) {
    let (own, theirs) = (own_time(), server_time(server));
    let begun = now();
    let mut senders = tokio::task::JoinSet::new();
    for sender in 0..SENDERS {
        let (games, game) = (games.clone(), words[sender % words.len()].clone());
        senders.spawn(async move {
            for nth in 0..COMMANDS_EACH {
                send(&games, &game, sender, &format!("many {nth}")).await;
            }
        });
    }
    senders.join_all().await;
    let took = now() - begun;
    let (own, theirs) = (own_time() - own, server_time(server) - theirs);
    let count = u32::try_from(SENDERS * COMMANDS_EACH).map_or(1.0, f64::from);
    report(
        &format!("{SENDERS} senders in {GAMES} games"),
        &format!("{:.0} votes a second", count / took.as_secs_f64()),
    );
    let (node, database) = (own / count, theirs / count);
    report(
        "processor time of the node, without the law",
        &format!("{node:.3} ms a vote"),
    );
    report(
        "processor time of the database",
        &format!("{database:.3} ms a vote"),
    );
    report(
        "the database is the limit from so many nodes like it",
        &format!("{:.1}", node / database.max(0.001)),
    );
}

/// What the database needs for things that are asked of it all the time.
async fn small_things(server: &PrivateServer, store: &PostgresStore, game: &GameId) {
    let before = server_time(server);
    for _ in 0..MANY {
        store.game(game).await.expect("the game is there");
    }
    let looks = server_time(server) - before;
    for _ in 0..MANY {
        store.renew().await.expect("the node is there");
    }
    let renewals = server_time(server) - before - looks;
    let times = f64::from(MANY);
    report(
        "processor time of the database for a look at a log's end",
        &format!("{:.3} ms", looks / times),
    );
    report(
        "and for a node's renewal of all its leases",
        &format!("{:.3} ms", renewals / times),
    );
}

fn report(what: &str, found: &str) {
    println!("{what:60} {found}");
}

async fn send(games: &Games, game: &GameId, sender: usize, key: &str) {
    let nth = u16::try_from(sender).expect("few senders");
    let player = Actor::Player(PlayerId(Id::new(EventSeq(1), nth)));
    let answer = games
        .send(game, player, key.into(), plays("say", 1))
        .await
        .expect("an answer");
    assert!(matches!(answer, Answer::Kept(_)), "it was refused");
}

async fn bare_commit(address: &str) -> Duration {
    let mut connection = PgConnection::connect(address).await.expect("a connection");
    sqlx::query("CREATE TABLE bare (n bigint)")
        .execute(&mut connection)
        .await
        .expect("a table");
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let begun = now();
        sqlx::query("INSERT INTO bare VALUES (1)")
            .execute(&mut connection)
            .await
            .expect("a row");
        times.push(now() - begun);
    }
    median(times)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The processor time of this process so far, in milliseconds.
fn own_time() -> f64 {
    time_of("self").map_or(0.0, |(_, time)| time)
}

/// The processor time of all processes of the server that run now, in milliseconds.
fn server_time(server: &PrivateServer) -> f64 {
    let first = server.process();
    let all = fs::read_dir("/proc").expect("Linux").flatten();
    let times = all.filter_map(|entry| {
        let id = entry.file_name().into_string().ok()?;
        let (parent, time) = time_of(&id)?;
        (parent == first || id == first).then_some(time)
    });
    times.sum()
}

/// The parent of a process, and its processor time in milliseconds.
fn time_of(id: &str) -> Option<(String, f64)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // Behind the name, which may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
    Some((fields[1].to_owned(), ticks * TICK_MS))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has to look at a stopwatch"
)]
fn now() -> Instant {
    Instant::now()
}
