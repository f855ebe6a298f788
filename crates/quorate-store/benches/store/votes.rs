//! One vote alone against a bare sync, and many against one.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::GameId;
use quorate_kernel::command::Actor;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_runtime::Games;
use quorate_runtime::fold::Fold;
use quorate_runtime::ports::Journal;
use quorate_runtime::testing::{found_batch, founding, grown_batch, plays};
use quorate_store::Store;

use crate::slow::Slow;
use crate::stopwatch::{median, time};
use crate::{open, report, serve};

/// How often one thing alone is done.
const RUNS: usize = 301;

/// How many send at once.
const WRITERS: usize = 64;

/// How many commands each of the many sends.
const COMMANDS_EACH: usize = 30;

/// What SQLite writes ahead for one vote: about six pages, each with a header of its own.
const SYNC_BYTES: usize = 6 * (4_096 + 24);

pub(crate) async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await;
    let games = serve(&store, Arc::clone(&store) as Arc<dyn Journal>).await;
    let game = found(&games, "votes").await;
    let vote = median(RUNS, async |run| {
        send(&games, &game, 0, &format!("alone {run}")).await;
    })
    .await;
    let append = bare_append(&store).await;
    let sync = bare_sync(folder.path()).await;
    let over = vote.saturating_sub(sync);
    report(
        "a vote alone, over a bare sync of as many bytes",
        &format!("{over:.1?} ({:.2}x)", ratio(vote, sync)),
        "1 ms",
    );
    let game_list = [game];
    report(
        "of that, the store's transaction with its sync",
        &format!("{:.1?}", append.saturating_sub(sync)),
        "none of its own",
    );
    let many = many_against_one(&games, &game_list, "one game").await;
    report(
        "64 writers in one game against one",
        &format!("{many:.1}x"),
        "5x",
    );
    let mut eight = Vec::new();
    for n in 0..8 {
        eight.push(found(&games, &format!("votes-{n}")).await);
    }
    let many = many_against_one(&games, &eight, "eight games").await;
    report(
        "64 writers in eight games against one",
        &format!("{many:.1}x"),
        "5x",
    );
    games.close().await.expect("games close");
    slow_disk().await;
}

async fn slow_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await;
    let slow = Slow {
        store: Arc::clone(&store),
        added: Duration::from_millis(5),
    };
    let games = serve(&store, Arc::new(slow)).await;
    let game = found(&games, "slow").await;
    let many = many_against_one(&games, &[game], "slow").await;
    report(
        "64 writers against one, 5 ms added to each sync",
        &format!("{many:.1}x"),
        "20x",
    );
    games.close().await.expect("games close");
}

async fn found(games: &Games, word: &str) -> GameId {
    let game: GameId = word.parse().expect("a good word");
    let founded = games.found(&game, Actor::Operator, "found".into(), founding());
    founded.await.expect("the game is founded");
    game
}

async fn send(games: &Games, game: &GameId, sender: usize, key: &str) {
    let player = PlayerId(Id::new(EventSeq(1), u16::try_from(sender).unwrap_or(0)));
    let act = plays("say", 1);
    let sent = games.send(game, Actor::Player(player), key.into(), act);
    sent.await.expect("the vote is kept");
}

/// The median of appending an event to the store without a writer.
async fn bare_append(store: &Store) -> Duration {
    let game: GameId = "bare".parse().expect("a good word");
    let first = found_batch(&game);
    let mut fold = Fold::start();
    fold.follow(&first.events[0].open)
        .expect("a founding folds");
    let (mut head, mut state) = (first.head, fold.state);
    store.append(&[first]).await.expect("room on the disk");
    let mut batches = Vec::new();
    for _ in 0..RUNS {
        let (batch, grown) = grown_batch(&game, state, head, vec![plays("say", 1)], "k");
        (head, state) = (batch.head, grown);
        batches.push(batch);
    }
    median(RUNS, async |run| {
        let batch = std::slice::from_ref(&batches[run]);
        store.append(batch).await.expect("room on the disk");
    })
    .await
}

/// The median of writing into a file of the same length, where blocks are there already, and syncing it.
async fn bare_sync(folder: &Path) -> Duration {
    let file = std::fs::File::create_new(folder.join("bare")).expect("a file");
    let bytes = vec![7; SYNC_BYTES];
    let at = |run: usize| (run * SYNC_BYTES) as u64;
    for run in 0..RUNS {
        file.write_all_at(&bytes, at(run))
            .expect("room on the disk");
    }
    file.sync_all().expect("a disk that syncs");
    median(RUNS, async |run| {
        file.write_all_at(&bytes, at(run))
            .expect("room on the disk");
        file.sync_data().expect("a disk that syncs");
    })
    .await
}

/// How many times as many commands many senders get through as one does in the same time.
async fn many_against_one(games: &Games, list: &[GameId], key: &str) -> f64 {
    let one = time(async {
        for n in 0..COMMANDS_EACH {
            send(games, &list[0], 0, &format!("{key} one {n}")).await;
        }
    });
    let one = one.await.1;
    let many = time(async {
        let mut senders = tokio::task::JoinSet::new();
        for sender in 0..WRITERS {
            let (games, game) = (games.clone(), list[sender % list.len()].clone());
            let key = key.to_owned();
            senders.spawn(async move {
                for n in 0..COMMANDS_EACH {
                    send(&games, &game, sender, &format!("{key} many {n}")).await;
                }
            });
        }
        senders.join_all().await;
    });
    let many = many.await.1;
    #[expect(clippy::cast_precision_loss, reason = "there are 64")]
    let writer_count = WRITERS as f64;
    ratio(one, many) * writer_count
}

pub(crate) fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}
