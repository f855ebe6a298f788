//! A process under load is killed again and again: nothing acknowledged is lost, nothing is applied by half, the chain
//! is whole.
//!
//! This file has a `main` of its own, for it is also the process that is killed. That one acknowledges each command on
//! its standard output, one line each, after the receipt has come.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::digest::Digest;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::{GameId, Moment, Name};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::{
    ChannelAudience, ChannelId, ChannelSort, FollowPoint, NewChannel, NewLetter, Outbox,
};
use quorate_notices::topic::NoticeTopic;
use quorate_runtime::archive::{ArchivedSeals, export, import};
use quorate_runtime::fold;
use quorate_runtime::ports::{Accounts, Journal, NewAccount, Seals, SystemClock};
use quorate_runtime::testing::{Counters, count, founding, plays};
use quorate_runtime::verify::{Grade, verify};
use quorate_runtime::{Answer, Games, GamesSettings, Ports};
use quorate_store::{Store, StoreOptions};

/// How often the process is killed.
const KILLS: u64 = 200;

/// How many players send at once in each game.
const SENDERS: usize = 4;

/// The channel on which each event of each game is told.
const CHANNEL: ChannelId = ChannelId(1);

/// The games under load.
const GAMES: [&str; 3] = ["reef", "moor", "fen"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("be-killed") {
        let folder = arguments.next().map(PathBuf::from).expect("a folder");
        let run = arguments.next().expect("the number of the run");
        return runtime().block_on(be_killed(&folder, &run));
    }
    let trial = Trial::test("what_was_acknowledged_outlives_two_hundred_kills", || {
        runtime().block_on(kill_and_look())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

async fn start(folder: &Path) -> (Arc<Store>, Games) {
    let options = StoreOptions::default();
    let store = Store::open(folder, options)
        .await
        .expect("the store opens after every kill");
    let store = Arc::new(store);
    let ports = Ports {
        journal: Arc::clone(&store) as Arc<dyn Journal>,
        seals: Arc::clone(&store) as Arc<dyn Seals>,
        judges: Arc::new(Counters),
        clock: Arc::new(SystemClock),
        secret: store.secret().expect("an owner knows the secret"),
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
async fn be_killed(folder: &Path, run: &str) {
    let (store, games) = start(folder).await;
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
        let store = Arc::clone(&store);
        senders.spawn(async move { follow_for_ever(&store, &game).await });
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

/// Writes a letter for each event of a game, as what follows logs for notices does.
async fn follow_for_ever(store: &Store, game: &GameId) {
    loop {
        let point = store.follow_point(game).await.expect("it can be read");
        let row = Journal::game(store, game).await.expect("it can be read");
        let head = row.expect("the game is there").head;
        if head.seq == point.seq {
            tokio::task::yield_now().await;
            continue;
        }
        let letters: Vec<NewLetter> = (point.seq.0 + 1..=head.seq.0)
            .map(|seq| NewLetter {
                channel: CHANNEL,
                bundle: format!("{game}.{seq}"),
                seq: EventSeq(seq),
                kind: NoticeKind::Followed,
                topic: NoticeTopic::Event(EventSeq(seq)),
                at: head.at,
                due_at: head.at,
            })
            .collect();
        let to = FollowPoint {
            seq: head.seq,
            ..FollowPoint::default()
        };
        let taken = store.take_in(game, point.seq, &to, &letters).await;
        assert!(taken.expect("it can be written"), "nobody else follows");
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

async fn kill_and_look() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path(), StoreOptions::default()).await?;
    let account = NewAccount {
        name: "Anna".to_owned(),
        mail: None,
        password: None,
        operator: false,
        made_at: Moment(0),
    };
    let channel = NewChannel {
        account: store.make(&account).await?,
        audience: ChannelAudience::Own(None),
        sort: ChannelSort::Mail,
        address: "anna@post.example".to_owned(),
        secret: String::new(),
        made_at: Moment(0),
        confirmed_at: Some(Moment(0)),
    };
    let made = store.make_channel(&channel).await?;
    assert_eq!(made, CHANNEL, "it is the first");
    store.close().await;
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    let mut heads: BTreeMap<GameId, (EventSeq, Digest)> = BTreeMap::new();
    for run in 0..KILLS {
        acknowledged.extend(one_life(folder.path(), run)?);
        // A look after each death costs as much as a life; every tenth, and the last, is looked at whole.
        if run % 10 == 9 || run + 1 == KILLS {
            look(folder.path(), &acknowledged, &mut heads).await?;
        }
    }
    if acknowledged.len() < usize::try_from(KILLS)? {
        return Err(format!("only {} commands came through", acknowledged.len()).into());
    }
    carry_over(folder.path()).await
}

/// Starts the process, hears so many acknowledgements, and kills it.
fn one_life(folder: &Path, run: u64) -> Result<Vec<Acknowledged>, Failed> {
    let mut process = Command::new(std::env::current_exe()?)
        .arg("be-killed")
        .arg(folder)
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

async fn look(
    folder: &Path,
    acknowledged: &[Acknowledged],
    heads: &mut BTreeMap<GameId, (EventSeq, Digest)>,
) -> Result<(), Failed> {
    let store = Store::open(folder, StoreOptions::default()).await?;
    store.check().await?;
    for row in store.games().await? {
        let game = &row.game;
        let verdict = verify(&store, &store, game, Grade::Fold, &mut |_| {}).await?;
        if !verdict.holds() {
            return Err(format!("{game}: {verdict:?}").into());
        }
        if let Some((seq, hash)) = heads.insert(game.clone(), (row.head.seq, row.head.hash)) {
            let (_, head) = fold::state_at(&store, &store, game, seq).await?;
            if head.hash != hash {
                return Err(format!("{game}: the past has changed at event {seq}").into());
            }
        }
        let opened = fold::open(&store, &store, game).await?;
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
        // Of each event that was followed there is one letter, and of no other.
        let letters = store.letters_of(CHANNEL, u32::MAX).await?;
        let seqs = letters.iter().filter(|letter| letter.game == *game);
        let mut seqs: Vec<u64> = seqs.map(|letter| letter.seq.0).collect();
        seqs.reverse();
        let followed = store.follow_point(game).await?.seq.0;
        if seqs != (1..=followed).collect::<Vec<_>>() || followed > row.head.seq.0 {
            return Err(format!("{game}: letters were lost or doubled").into());
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
    store.close().await;
    Ok(())
}

fn adds(act: &Act) -> bool {
    matches!(act, Act::Do { action, .. } if action == "add")
}

/// A game that went through all this can be carried into an empty store, to the same state.
async fn carry_over(folder: &Path) -> Result<(), Failed> {
    let store = Store::open_read_only(folder).await?;
    let secret = store
        .secret()
        .ok_or("the owner of the folder knows the secret")?;
    let elsewhere = tempfile::tempdir()?;
    let other = Store::open(elsewhere.path(), StoreOptions::default()).await?;
    for row in store.games().await? {
        let mut archive = Vec::new();
        let everything = ArchivedSeals::Everything(&secret);
        export(
            &store,
            &store,
            &row.game,
            everything,
            &mut archive,
            &mut |_| {},
        )
        .await?;
        let imported = import(&other, None, &mut &archive[..], &mut |_| {}).await?;
        let there = fold::open(&store, &store, &row.game).await?;
        let here = fold::open(&other, &other, &row.game).await?;
        let same = imported.state == there.state.digest() && here.state == there.state;
        if !same || here.closed_count > 0 {
            return Err(format!("{}: the import is not the same game", row.game).into());
        }
    }
    Ok(())
}
