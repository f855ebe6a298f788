//! What notices cost on a busy evening and the morning after: games of ten players each, all of whom get mail. Four hours
//! are played twice, each time in a process of its own that starts anew, once with nobody to be told; what the other takes
//! more is what notices cost. A mail server that stands in is a third process, whose time is not counted.
//!
//! `cargo bench -p quorate --bench evening -- --long` plays 1,000 games with 10,000 players; without `--long` 50 games.
#![expect(clippy::print_stdout, reason = "a benchmark speaks on standard output")]
#![allow(clippy::unwrap_used, reason = "a benchmark ends where something fails")]

#[path = "../../quorate-server/tests/api/book.rs"]
mod book;
#[path = "../src/cmd/bench/people.rs"]
mod people;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use people::{account, admits, applies, founder, posts};
use quorate_engine::LawCache;
use quorate_engine::rulebook::Rulebook;
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::ids::Id;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId, PostId, Span, Thing, Value};
use quorate_notices::outbox::{ChannelAudience, ChannelSort, NewChannel, Outbox};
use quorate_runtime::in_process::InProcess;
use quorate_runtime::ports::{Accounts, ServerSecret, TimeSource};
use quorate_runtime::testing::HandClock;
use quorate_runtime::{Answer, Games, GamesSettings, Ports};
use quorate_server::{AppState, Courier, Deps, Mail, ServerConfig, WriteCounts, judges_here};
use quorate_store::{Store, StoreOptions};
use serde_json::{Value as Json, json};

/// How many play in each game.
const PLAYERS: u64 = 10;

/// How long the evening is, in minutes.
const MINUTES: u64 = 240;

/// What notices may add: a share of one processor over the evening, in thousandths, and memory.
const BUDGET_THOUSANDTHS: u64 = 50;
const BUDGET_MIB: u64 = 50;

/// How often the courier looks within a minute while somebody plays: every two seconds.
const BEATS: u64 = 30;

const ADDRESS: &str = "https://nomic.example";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is = |word: &str| arguments.iter().any(|argument| argument == word);
    let after = |word: &str| {
        let at = arguments.iter().position(|argument| argument == word);
        at.and_then(|at| arguments.get(at + 1)).cloned()
    };
    if is("--mail-server") {
        take_mail();
    } else if let Some(mail_server) = after("--evening") {
        let games = after("--games").unwrap().parse().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        println!("{}", runtime.block_on(evening(games, &mail_server)));
    } else {
        compare(if is("--long") { 1_000 } else { 50 });
    }
}

/// Plays the evening twice, and tells the difference.
fn compare(games: u64) {
    let mut mail_server = itself(&["--mail-server"]);
    let mut said = BufReader::new(mail_server.stdout.take().unwrap());
    let mut address = String::new();
    said.read_line(&mut address).unwrap();
    let play = |mail_server: &str| -> Json {
        let games = games.to_string();
        let child = itself(&["--evening", mail_server, "--games", &games]);
        let played = child.wait_with_output().unwrap();
        assert!(played.status.success(), "an evening ended early");
        serde_json::from_slice(&played.stdout).unwrap()
    };
    let (silent, told) = (play("none"), play(address.trim()));
    mail_server.kill().unwrap();
    mail_server.wait().unwrap();
    let of = |evening: &Json, name: &str| evening[name].as_u64().unwrap();
    let (before, after) = (of(&silent, "cpu_ms"), of(&told, "cpu_ms"));
    let added_ms = after.saturating_sub(before);
    let tenths = added_ms * 1_000 / (MINUTES * 60_000);
    let (small, large) = (of(&silent, "peak_kib"), of(&told, "peak_kib"));
    let added_mib = large.saturating_sub(small) / 1024;
    let (events, messages) = (of(&told, "events"), of(&told, "messages"));
    println!(
        "{games} games, {} players, {events} events in four hours, {messages} deliveries",
        games * PLAYERS
    );
    println!("processor time: {before} ms of play, {after} ms with notices");
    let within = |is_within: bool| if is_within { "within" } else { "OVER" };
    println!(
        "added: {}.{} % of one processor over the evening, {} the budget of {} %",
        tenths / 10,
        tenths % 10,
        within(tenths <= BUDGET_THOUSANDTHS),
        BUDGET_THOUSANDTHS / 10,
    );
    println!(
        "memory at most: {} MiB of play, {} MiB with notices; added: {added_mib} MiB, {} the budget of {BUDGET_MIB} MiB",
        small / 1024,
        large / 1024,
        within(added_mib <= BUDGET_MIB),
    );
}

fn itself(arguments: &[&str]) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program);
    child.args(arguments).stdin(Stdio::null());
    child.stdout(Stdio::piped()).spawn().unwrap()
}

/// A mail server that takes everything, until it is killed.
fn take_mail() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("smtp://{}", listener.local_addr().unwrap());
    for stream in listener.incoming() {
        let stream = stream.unwrap();
        std::thread::spawn(move || drop(speak(&stream)));
    }
}

fn speak(stream: &TcpStream) -> std::io::Result<()> {
    let mut write = stream;
    write.write_all(b"220 stand-in ESMTP\r\n")?;
    let mut is_mail = false;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        let said: &[u8] = match line.get(..4) {
            _ if is_mail && line != "." => continue,
            _ if is_mail => {
                is_mail = false;
                b"250 taken\r\n"
            }
            Some("EHLO") => b"250-stand-in\r\n250 8BITMIME\r\n",
            Some("DATA") => {
                is_mail = true;
                b"354 go on\r\n"
            }
            Some("QUIT") => return write.write_all(b"221 bye\r\n"),
            _ => b"250 well\r\n",
        };
        write.write_all(said)?;
    }
    Ok(())
}

/// The games of an evening.
struct Evening {
    games: Games,
    store: Arc<Store>,
    clock: Arc<HandClock>,
    book: Rulebook,
}

/// One game of it.
#[derive(Clone)]
struct Town {
    game: GameId,
    people: Vec<PlayerId>,
    /// The matter that is voted on.
    matter: Option<PostId>,
}

/// A site over a store, and who sends its messages.
async fn opened(
    store: &Arc<Store>,
    clock: &Arc<HandClock>,
    mail_server: Option<&str>,
) -> (Games, Courier) {
    let laws = Arc::new(LawCache::default());
    let secret = ServerSecret::new([7; 32]);
    let ports = Ports {
        journal: store.clone(),
        seals: store.clone(),
        judges: Arc::new(InProcess::new(&laws)),
        clock: clock.clone(),
        secret: secret.clone(),
        others: None,
    };
    let games = Games::start(ports, GamesSettings::default()).await.unwrap();
    let by = mail_server.map(|mail_server| {
        let from = "Quorate <games@nomic.example>";
        let by = Mail::by_server(from, mail_server, None, ADDRESS).unwrap();
        by.with_replies(Some("reply@nomic.example")).unwrap()
    });
    let config = ServerConfig {
        address: Some(ADDRESS.to_owned()),
        mail: by,
        ..ServerConfig::default()
    };
    let deps = Deps {
        games: games.clone().into(),
        again: judges_here(&laws),
        laws,
        accounts: store.clone(),
        safety: store.clone(),
        moderation: store.clone(),
        drafts: store.clone(),
        uploads: store.clone(),
        journal: store.clone(),
        seals: store.clone(),
        search: store.clone(),
        outbox: Some(store.clone()),
        backup: None,
        buckets: None,
        writes: Arc::new(WriteCounts::new(clock.clone(), None)),
        clock: clock.clone(),
        secret,
        books: Vec::new(),
        config,
        workers: None,
    };
    let site = AppState::new(deps).map_err(|error| error.to_string());
    let courier = Courier::new(&Arc::new(site.unwrap())).unwrap();
    (games, courier)
}

async fn evening(game_count: u64, mail_server: &str) -> Json {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), StoreOptions::default()).await;
    let store = Arc::new(store.unwrap());
    let start: Moment = "2031-05-04T18:00Z".parse().unwrap();
    let clock = Arc::new(HandClock::at(start));
    let is_told = mail_server != "none";
    let (games, courier) = opened(&store, &clock, is_told.then_some(mail_server)).await;
    let evening = Evening {
        games,
        store,
        clock,
        book: book::read("adventurers-2019"),
    };
    let mut towns = Vec::new();
    for nth in 0..game_count {
        towns.push(evening.found(nth).await);
    }
    // What was before is no news.
    courier.round().await.unwrap();
    if is_told {
        for nth in 0..game_count {
            evening.reach(nth).await;
        }
    }
    // From here on the most that is in use counts.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = processor_ms();
    let (mut events, mut messages) = (0, 0);
    for beat in 0..MINUTES * BEATS {
        let (count, went_on) = evening.play(beat, &mut towns).await;
        events += count;
        evening.clock.pass(Span::seconds(60 / BEATS.cast_signed()));
        if is_told {
            // It hears of games that go on, and looks at all of them every minute.
            let round = if beat.is_multiple_of(BEATS) {
                courier.round().await
            } else {
                courier.round_of(went_on).await
            };
            messages += round.unwrap();
            courier.until_next(true).await;
        }
    }
    // The digests of the morning.
    evening.clock.set("2031-05-05T08:01Z".parse().unwrap());
    if is_told {
        loop {
            let count = courier.round().await.unwrap();
            messages += count;
            if count == 0 {
                break;
            }
        }
    }
    let cpu_ms = processor_ms() - before;
    let peak_kib = status("VmHWM:");
    evening.games.close().await.unwrap();
    json!({ "cpu_ms": cpu_ms, "peak_kib": peak_kib, "events": events, "messages": messages })
}

impl Evening {
    async fn found(&self, nth: u64) -> Town {
        let game: GameId = format!("town-{nth}").parse().unwrap();
        let founding = self.book.founding("A town", "Player 0").unwrap();
        let key = Name::from("found");
        let founded = self.games.found(&game, Actor::Operator, key, founding);
        assert!(matches!(founded.await, Ok(Answer::Kept(_))));
        let mut town = Town {
            game,
            people: vec![founder()],
            matter: None,
        };
        for n in 1..PLAYERS {
            let asked = self
                .send(&town, Actor::Newcomer, applies(&format!("Player {n}")))
                .await
                .unwrap();
            let new = PlayerId(Id::new(asked, 0));
            let by = Actor::Player(town.people[0]);
            self.send(&town, by, admits(new)).await.unwrap();
            town.people.push(new);
        }
        for (n, player) in town.people.iter().enumerate() {
            let (name, seat) = (format!("P{nth}-{n}"), (town.game.clone(), *player));
            let made = account(&*self.store, &name, &name, false, &[seat]).await;
            made.unwrap();
        }
        town
    }

    /// All players of a game get mail, as they would who choose nothing else.
    async fn reach(&self, nth: u64) {
        let now = self.clock.now();
        for n in 0..PLAYERS {
            let account = self.store.account_by_name(&format!("P{nth}-{n}")).await;
            let channel = NewChannel {
                account: account.unwrap().unwrap().id,
                audience: ChannelAudience::ALL,
                sort: ChannelSort::Mail,
                address: format!("p{nth}-{n}@post.example"),
                secret: String::new(),
                made_at: now,
                confirmed_at: Some(now),
            };
            self.store.make_channel(&channel).await.unwrap();
        }
    }

    /// What is done in one beat of the evening: each game has a proposal every eighty minutes, nine votes on it, a comment
    /// after every third, and at last its author withdraws it and an admin fails it. Gives how many events that made, and in
    /// which games.
    async fn play(&self, beat: u64, towns: &mut [Town]) -> (u64, BTreeSet<GameId>) {
        let minute = beat / BEATS;
        let (mut events, mut went_on) = (0, BTreeSet::new());
        for (nth, town) in (0_u64..).zip(towns) {
            if nth % BEATS != beat % BEATS {
                continue;
            }
            let made = self.play_in(town, minute + nth * 7).await;
            if made > 0 {
                went_on.insert(town.game.clone());
            }
            events += made;
        }
        (events, went_on)
    }

    /// What is done in one game within a minute.
    async fn play_in(&self, town: &mut Town, minute: u64) -> u64 {
        let (at, round) = (minute % 80, minute / 80 % PLAYERS);
        let who = |n: u64| {
            let seat = usize::try_from((round + n) % PLAYERS).unwrap();
            Actor::Player(town.people[seat])
        };
        if at == 0 {
            let proposed = self.send(town, who(0), posts("Proposal"));
            let proposed = proposed.await.expect("a proposal of each player in turn");
            town.matter = Some(PostId(Id::new(proposed, 0)));
            return 1;
        }
        let Some(post) = town.matter else { return 0 };
        let say = async |by: Actor, text: &str| {
            let text = typed(text);
            let said = self.send(town, by, Act::Comment { post, text });
            u64::from(said.await.is_some())
        };
        let voter = at / 8;
        match at {
            76 => say(who(0), ":against: Never mind.").await,
            78 => {
                let fail = Act::Do {
                    action: "fail-proposal".into(),
                    args: vec![("proposal".into(), Value::Thing(Thing::Post(post)))],
                };
                let failed = self.send(town, Actor::Player(town.people[0]), fail);
                u64::from(failed.await.is_some())
            }
            at if at.is_multiple_of(8) => {
                let mut events = say(who(voter), ":for:").await;
                if voter.is_multiple_of(3) {
                    let words = format!("What do you say, @Player {voter}?");
                    events += say(who(voter), &words).await;
                }
                events
            }
            _ => 0,
        }
    }

    /// The event of what somebody did; none where the rules refuse it.
    async fn send(&self, town: &Town, actor: Actor, act: Act) -> Option<EventSeq> {
        let key = format!("{actor:?}{act:?}{}", self.clock.now().0);
        let key = Name::from(short(&key));
        match self.games.send(&town.game, actor, key, act).await {
            Ok(Answer::Kept(receipt)) => Some(receipt.seq),
            Ok(Answer::Refused(_)) => None,
            Err(error) => panic!("{error}"),
        }
    }
}

/// A short word for a long one.
fn short(text: &str) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("k{:x}", hasher.finish())
}

/// How much time of processors this process has taken: clock ticks of ten milliseconds.
fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The program's name, in brackets, may hold anything.
    let (_, rest) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |nth: usize| -> u64 { fields[nth].parse().unwrap() };
    (ticks(11) + ticks(12)) * 10
}

/// A number of kibibytes that the system keeps of this process.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.unwrap().split_whitespace().next();
    number.unwrap().parse().unwrap()
}
