//! A process under load is killed again and again: nothing acknowledged is lost, nothing is applied by half, the chain
//! is whole.
//!
//! A store's own test is also the process that is killed: it has a `main` of its own, which calls [`run`]. That process
//! acknowledges each command on its standard output, one line each, after the receipt has come.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::digest::Digest;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::{GameId, Name};

use super::{Counters, count, founding, plays};
use crate::archive::{ArchivedSeals, export, import};
use crate::ports::{Journal, Seals, ServerSecret, SystemClock};
use crate::verify::{Grade, verify};
use crate::{Answer, Games, GamesSettings, Ports, fold};

/// A store that outlives the processes that use it.
#[async_trait(?Send)]
pub trait Killed: Send + Sync {
    /// The store of one process.
    type Store: Journal + Seals + 'static;

    /// Opens it, also right after a process that used it died.
    async fn open(&self) -> Arc<Self::Store>;

    /// An empty one of the same kind, to carry games into.
    async fn another(&self) -> Arc<Self::Store>;

    /// The secret of its games.
    fn secret(&self, store: &Self::Store) -> ServerSecret;

    /// Looks for damage, where the store can tell.
    async fn check(&self, store: &Self::Store);

    /// Lets it go.
    async fn close(&self, store: Arc<Self::Store>);
}

/// Why the test failed.
pub type Failed = Box<dyn Error + Send + Sync>;

/// How many players send at once in each game.
const SENDERS: usize = 4;

/// The games under load.
const GAMES: [&str; 3] = ["reef", "moor", "fen"];

async fn start<K: Killed>(killed: &K) -> (Arc<K::Store>, Games) {
    let store = killed.open().await;
    let ports = Ports {
        journal: Arc::clone(&store) as Arc<dyn Journal>,
        seals: Arc::clone(&store) as Arc<dyn Seals>,
        judges: Arc::new(Counters),
        clock: Arc::new(SystemClock),
        secret: killed.secret(&store),
        others: None,
    };
    let settings = GamesSettings {
        snapshot_every: 50,
        ..GamesSettings::default()
    };
    let games = Games::start(ports, settings)
        .await
        .expect("games start after every kill");
    (store, games)
}

fn player(n: usize) -> Actor {
    let n = u16::try_from(n).expect("few players");
    Actor::Player(PlayerId(Id::new(EventSeq(1), n)))
}

/// Keeps games busy until somebody kills this process.
pub async fn be_killed<K: Killed>(killed: &K, run: &str) {
    let (_store, games) = start(killed).await;
    let mut senders = tokio::task::JoinSet::new();
    for word in GAMES {
        let game: GameId = word.parse().expect("a good word");
        let founded = games.found(&game, Actor::Operator, "found".into(), founding());
        founded
            .await
            .expect("a game is founded once and asked for often");
        for sender in 0..SENDERS {
            let (games, game, run) = (games.clone(), game.clone(), run.to_owned());
            senders.spawn(async move { send_for_ever(&games, &game, sender, &run).await });
        }
    }
    say("ready");
    senders.join_all().await;
}

async fn send_for_ever(games: &Games, game: &GameId, sender: usize, run: &str) {
    for n in 0_i64.. {
        let key = format!("{run} {n}");
        // Words, so that seals are written too, and a number, so that a lost event shows in the state.
        let act = if n % 3 == 0 {
            plays("say", n)
        } else {
            plays("add", 1)
        };
        let answer = games
            .send(game, player(sender), key.as_str().into(), act)
            .await;
        let Ok(Answer::Kept(receipt)) = answer else {
            panic!("a command was not kept: {answer:?}");
        };
        say(&format!("{game} {sender} {} {key}", receipt.seq));
    }
}

/// Says a line so that whoever listens has it before anything else happens here.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").expect("somebody listens");
    out.flush().expect("somebody listens");
}

/// A command that was acknowledged: game, sender, number of the event, key.
type Acknowledged = (GameId, usize, EventSeq, Name);

/// Kills so many processes, and looks at what they leave behind. `argument` is what the process is told of the store;
/// before it stands `be-killed`, after it the number of the run.
pub async fn run<K: Killed>(killed: &K, argument: &str, kills: u64) -> Result<(), Failed> {
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    let mut heads: BTreeMap<GameId, (EventSeq, Digest)> = BTreeMap::new();
    for run in 0..kills {
        acknowledged.extend(one_life(argument, run)?);
        // A look after each death costs as much as a life; every tenth, and the last, is looked at whole.
        if run % 10 == 9 || run + 1 == kills {
            look(killed, &acknowledged, &mut heads).await?;
        }
    }
    if acknowledged.len() < usize::try_from(kills)? {
        return Err(format!("only {} commands came through", acknowledged.len()).into());
    }
    carry_over(killed).await
}

/// Starts the process, hears so many acknowledgements, and kills it.
fn one_life(argument: &str, run: u64) -> Result<Vec<Acknowledged>, Failed> {
    let mut process = Command::new(std::env::current_exe()?)
        .arg("be-killed")
        .arg(argument)
        .arg(run.to_string())
        .stdout(Stdio::piped())
        .spawn()?;
    let out = process.stdout.take().ok_or("its output is taken once")?;
    let mut lines = BufReader::new(out).lines();
    // How long it lives is drawn from the run's number, also so short that it dies while it starts.
    let lives_for = Digest::of(&run.to_le_bytes()).0[0] % 40;
    let mut heard = Vec::new();
    for _ in 0..lives_for {
        let line = lines.next().ok_or("the process ended by itself")??;
        heard.push(line);
    }
    process.kill()?;
    process.wait()?;
    // What it managed to say before it died is acknowledged too. The last line may be cut off.
    for line in lines {
        heard.push(line?);
    }
    Ok(heard.iter().filter_map(|line| read(line)).collect())
}

fn read(line: &str) -> Option<Acknowledged> {
    let mut parts = line.splitn(4, ' ');
    let game = parts.next()?.parse().ok()?;
    let sender = parts.next()?.parse().ok()?;
    let seq = EventSeq(parts.next()?.parse().ok()?);
    let key: &str = parts.next()?;
    // A key that was cut off has no second part.
    let (_, number) = key.split_once(' ')?;
    (!number.is_empty()).then(|| (game, sender, seq, key.into()))
}

async fn look<K: Killed>(
    killed: &K,
    acknowledged: &[Acknowledged],
    heads: &mut BTreeMap<GameId, (EventSeq, Digest)>,
) -> Result<(), Failed> {
    let store = killed.open().await;
    killed.check(&store).await;
    for row in store.games().await? {
        let game = &row.game;
        let verdict = verify(&*store, &*store, game, Grade::Fold, &mut |_| {}).await?;
        if !verdict.holds() {
            return Err(format!("{game}: {verdict:?}").into());
        }
        if let Some((seq, hash)) = heads.insert(game.clone(), (row.head.seq, row.head.hash)) {
            let (_, head) = fold::state_at(&*store, &*store, game, seq).await?;
            if head.hash != hash {
                return Err(format!("{game}: the past has changed at event {seq}").into());
            }
        }
        let opened = fold::open(&*store, &*store, game).await?;
        if opened.closed_count > 0 {
            return Err(format!("{game}: {} seals were lost", opened.closed_count).into());
        }
        let opens = store.events(game, EventSeq(1), usize::MAX >> 24).await?;
        let events: Result<Vec<_>, _> = opens
            .iter()
            .map(|open| quorate_kernel::record::decode(open))
            .collect();
        let events = events?;
        let adds = events.iter().filter(|event| adds(&event.act)).count();
        if i64::try_from(adds)? != count(&opened.state) {
            return Err(format!("{game}: an event is applied by half").into());
        }
        for (_, sender, seq, key) in acknowledged.iter().filter(|a| a.0 == *game) {
            let event = events.get(usize::try_from(seq.0 - 1)?);
            let is_there = event.is_some_and(|e| e.key == *key && e.actor == player(*sender));
            if !is_there {
                return Err(
                    format!("{game}: event {seq} was acknowledged and is not there").into(),
                );
            }
        }
    }
    killed.close(store).await;
    Ok(())
}

fn adds(act: &Act) -> bool {
    matches!(act, Act::Do { action, .. } if action == "add")
}

/// A game that went through all this can be carried into an empty store, to the same state.
async fn carry_over<K: Killed>(killed: &K) -> Result<(), Failed> {
    let store = killed.open().await;
    let secret = killed.secret(&store);
    let other = killed.another().await;
    for row in store.games().await? {
        let mut archive = Vec::new();
        let everything = ArchivedSeals::Everything(&secret);
        export(
            &*store,
            &*store,
            &row.game,
            everything,
            &mut archive,
            &mut |_| {},
        )
        .await?;
        let imported = import(&*other, None, &mut &archive[..], &mut |_| {}).await?;
        let there = fold::open(&*store, &*store, &row.game).await?;
        let here = fold::open(&*other, &*other, &row.game).await?;
        let same = imported.state == there.state.digest() && here.state == there.state;
        if !same || here.closed_count > 0 {
            return Err(format!("{}: the import is not the same game", row.game).into());
        }
    }
    Ok(())
}
