//! Workers that are killed, or whose time is over.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quorate_engine::rulebook::{Manifest, Rulebook};
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::{EventSeq, GameId, Id, PlayerId, record};
use quorate_runtime::in_process::InProcess;
use quorate_runtime::judge::Judges;
use quorate_runtime::ports::{Journal, SystemClock};
use quorate_runtime::{Answer, Games, GamesSettings, Ports};
use quorate_store::{Store, StoreOptions};
use quorate_worker::judges::{JudgesSettings, WorkerJudges};
use quorate_worker::process::Program;

use crate::served::{QUORATE, folder, founder};

/// How often workers are killed, unless `QUORATE_KILLS` says otherwise. `QUORATE_SEED` says at which moments.
const KILLS: u64 = 50;

/// How long somebody may wait whose worker is killed, and the next one after them. On a busy machine they wait longer.
const KILLED_WITHIN: Duration = Duration::from_millis(300);
const NEXT_WITHIN: Duration = Duration::from_millis(150);

/// The workers of this very process are killed by one test, and must not be by another's.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[expect(
    clippy::disallowed_methods,
    reason = "how long somebody waited is told"
)]
fn now() -> Instant {
    Instant::now()
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

/// Games over a store, judged by workers of this process.
struct Hosted {
    store: Arc<Store>,
    judges: WorkerJudges,
    games: Games,
}

impl Hosted {
    async fn open(folder: &Path, command: Duration) -> Self {
        let store = Store::open(folder, StoreOptions::default());
        let store = Arc::new(store.await.expect("the store opens"));
        let program = Program {
            path: QUORATE.into(),
            words: vec!["law-worker".into(), "judges".into()],
        };
        let settings = JudgesSettings {
            command,
            workers_max: 2,
        };
        let judges = WorkerJudges::new(program, settings);
        let games = games(&store, Arc::new(judges.clone())).await;
        Self {
            store,
            judges,
            games,
        }
    }
}

async fn games(store: &Arc<Store>, judges: Arc<dyn Judges>) -> Games {
    let ports = Ports {
        journal: store.clone(),
        seals: store.clone(),
        judges,
        clock: Arc::new(SystemClock),
        secret: store.secret().expect("a secret"),
        others: None,
    };
    let games = Games::start(ports, GamesSettings::default()).await;
    games.expect("games start")
}

/// Rolls a die in a game; gives the event and how long that took.
fn rolled(
    games: &Games,
    game: &GameId,
    player: PlayerId,
    key: String,
) -> impl Future<Output = (EventSeq, Duration)> + use<> {
    let (games, game) = (games.clone(), game.clone());
    let line = typed("DICE6");
    async move {
        let before = now();
        let act = Act::Dice { line };
        let answer = games.send(&game, Actor::Player(player), key.as_str().into(), act);
        let answer = answer.await;
        let Ok(Answer::Kept(receipt)) = answer else {
            panic!("{key}: {answer:?}");
        };
        (receipt.seq, now() - before)
    }
}

fn told(who: &str, waits: &[Duration], most: Duration) -> String {
    let late = waits.iter().filter(|wait| **wait > most).count();
    let longest = waits.iter().max().copied().unwrap_or_default();
    format!(
        "{who}: {late} of {} waited over {} ms, nobody longer than {} ms",
        waits.len(),
        most.as_millis(),
        longest.as_millis()
    )
}

/// What workers judged, this process judges again.
fn verified(game: &str, folder: &Path) {
    let verified = Command::new(QUORATE)
        .args(["verify", game, "--data"])
        .arg(folder)
        .output()
        .expect("it verifies");
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success(), "{said}");
}

#[test]
fn nothing_acknowledged_is_lost_when_workers_are_killed() {
    let _alone = ONE_AT_A_TIME.lock();
    let (folder, waiting) = folder();
    let (killed, next) = waiting.block_on(async {
        let hosted = Hosted::open(folder.path(), Duration::from_secs(10)).await;
        let (game, player) = founder(&hosted.store).await;
        let (mut kept, mut waits) = (Vec::new(), (Vec::new(), Vec::new()));
        let (kills, mut chance) = (number("QUORATE_KILLS", KILLS), number("QUORATE_SEED", 7));
        for nth in 0..kills {
            let sent = tokio::spawn(rolled(&hosted.games, &game, player, format!("roll {nth}")));
            // Somewhere between before the worker has heard of it and after it has answered.
            chance = chance
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            for _ in 0..(chance >> 33) % 3_000 {
                tokio::task::yield_now().await;
            }
            kill_own_workers();
            let (seq, waited) = sent.await.expect("it is answered");
            kept.push(seq);
            waits.0.push(waited);
            kill_own_workers();
            let next = rolled(&hosted.games, &game, player, format!("next {nth}"));
            let (seq, waited) = next.await;
            kept.push(seq);
            waits.1.push(waited);
        }
        assert!(kept.is_sorted() && kept.len() as u64 == 2 * kills);
        assert!(hosted.judges.standing().ended > 0, "workers were killed");
        hosted.games.close().await.expect("games end");
        let row = hosted.store.game(&game).await;
        let row = row.expect("a row").expect("the game");
        assert_eq!(Some(&row.head.seq), kept.last());
        waits
    });
    drop(waiting);
    // People judge times, on a machine that does nothing else; the long run keeps these.
    println!(
        "{}",
        told("whose worker was killed", &killed, KILLED_WITHIN)
    );
    println!("{}", told("next after a kill", &next, NEXT_WITHIN));
    verified("town", folder.path());
}

/// A game whose second clause takes longer than there is: each of its guards is asked, and each ends within its own limits.
const SLOW: &str = "---
section: rules
---
# Slow

1. Players fish.

```starlark
fish = number(\"Fish\", of = player)

def take(actor: Player):
    actor.fish += 1

action(\"take\", take)
```

2. Nobody knows why it takes so long.

```starlark
def slow(attempt: Attempt) -> bool:
    x = 0
    for i in range(20000):
        x = x + attempt.actor.fish - x
    return x > 9

forbid(scope(actions = [\"take\"]), slow, \"patience\")
forbid(scope(actions = [\"take\"]), slow, \"more patience\")
forbid(scope(actions = [\"take\"]), slow, \"still more patience\")
forbid(scope(actions = [\"take\"]), slow, \"all the patience\")
```
";

const MANIFEST: &str =
    "title = \"T\"\nabout = \"T\"\n[[section]]\nid = \"rules\"\ntitle = \"Rules\"\n";

/// So little that those guards do not come to their end.
const TOO_LITTLE: Duration = Duration::from_millis(20);

#[test]
fn what_a_deadline_left_out_is_in_the_log_and_no_clock_is_asked_again() {
    let _alone = ONE_AT_A_TIME.lock();
    let (folder, waiting) = folder();
    let game: GameId = "slow".parse().expect("a word for a game");
    // The folder is free again when all that waits there has ended.
    let founding = tokio::runtime::Runtime::new().expect("a runtime");
    founding.block_on(async {
        let store = Store::open(folder.path(), StoreOptions::default()).await;
        let store = Arc::new(store.expect("the store opens"));
        let here = games(&store, Arc::new(InProcess::default())).await;
        let book = Rulebook {
            name: "t".into(),
            manifest: toml::from_str::<Manifest>(MANIFEST).expect("it reads"),
            library: Vec::new(),
            rules: vec![("1-rules/01-slow.md".to_owned(), SLOW.to_owned())],
            tests: Vec::new(),
        };
        let founding = book.founding("A game", "Anna").expect("it reads");
        let founded = here.found(&game, Actor::Operator, "found".into(), founding);
        assert!(matches!(founded.await, Ok(Answer::Kept(_))));
        here.close().await.expect("games end");
    });
    drop(founding);
    waiting.block_on(async {
        let hosted = Hosted::open(folder.path(), TOO_LITTLE).await;
        let actor = Actor::Player(PlayerId(Id::new(EventSeq(1), 0)));
        let mut answers = Vec::new();
        // On a busy machine a command may be late that has nothing to wait for; then nobody is to blame, and it is sent again.
        for nth in 0..50 {
            let act = Act::Do {
                action: "take".into(),
                args: Vec::new(),
            };
            let key = format!("take {nth}");
            let answer = hosted.games.send(&game, actor, key.into(), act).await;
            let is_kept = matches!(answer, Ok(Answer::Kept(_)));
            answers.push(answer);
            if is_kept {
                break;
            }
        }
        hosted.games.close().await.expect("games end");
        let events = hosted.store.events(&game, EventSeq(1), 100).await;
        let events = events.expect("a log");
        let decoded: Vec<Act> = events
            .iter()
            .map(|open| record::decode(open).expect("an event").act)
            .collect();
        let [Act::Found(_), Act::Sleep { clause, .. }, Act::Do { .. }] = &decoded[..] else {
            panic!("{answers:?}: {decoded:?}");
        };
        assert_eq!((clause.rule.as_str(), clause.fence), ("slow", 2));
    });
    drop(waiting);
    verified("slow", folder.path());
}
