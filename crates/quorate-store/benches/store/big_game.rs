//! A game with a long log: opening, reading, verifying.

use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::command::Act;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::fold::{self, Fold};
use quorate_runtime::judge::Head;
use quorate_runtime::ports::Journal;
use quorate_runtime::testing::{found_batch, grown_batch, plays};
use quorate_runtime::verify::{Grade, verify};
use quorate_store::Store;

use crate::stopwatch::{median, time};
use crate::votes::ratio;
use crate::{open, report, serve};

/// How many events are appended at a time.
const BATCH: usize = 1_000;

/// How many events are read at a time to see how fast reading alone is.
const CHUNK: usize = 4_096;

/// Every so many events somebody writes a page; the others raise a number.
const PAGE_EVERY: usize = 20;

pub(crate) async fn measure(event_count: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await;
    let fifty = grow(&store, "fifty", 50_000).await;
    let opening = opening(&store, &fifty).await;
    report(
        "opening 50,000 events without a snapshot",
        &format!("{opening:.1?}"),
        "100 ms, law included",
    );
    let big = grow(&store, "big", event_count).await;
    let games = serve(&store, Arc::clone(&store) as Arc<dyn Journal>).await;
    games.keep_snapshot(&big).await.expect("a snapshot is kept");
    games.close().await.expect("games close");
    let opening = self::opening(&store, &big).await;
    report(
        &format!("opening {event_count} events from a snapshot"),
        &format!("{opening:.1?}"),
        "300 ms at a million, law included",
    );
    rates(&store, &big, event_count).await;
}

async fn rates(store: &Store, game: &GameId, event_count: usize) {
    let reading = time(async {
        let mut from = EventSeq(1);
        loop {
            let chunk = store
                .events(game, from, CHUNK)
                .await
                .expect("events are read");
            if chunk.is_empty() {
                break;
            }
            from = EventSeq(from.0 + chunk.len() as u64);
        }
    });
    let reading = reading.await.1;
    for (name, grade) in [("chain", Grade::Chain), ("chain and fold", Grade::Fold)] {
        let (verdict, took) = time(verify(store, store, game, grade, &mut |_| {})).await;
        assert!(verdict.expect("the game is verified").holds());
        let rate = rate(event_count, took);
        report(
            &format!(
                "verify, {name} (reading alone: {:.2}x faster)",
                ratio(took, reading)
            ),
            &format!("{rate:.0} events/s"),
            "300,000 events/s",
        );
    }
}

fn rate(event_count: usize, took: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to look at")]
    let event_count = event_count as f64;
    event_count / took.as_secs_f64()
}

async fn opening(store: &Store, game: &GameId) -> Duration {
    median(5, async |_| {
        let opened = fold::open(store, store, game)
            .await
            .expect("the game opens");
        assert_eq!(opened.closed_count, 0);
    })
    .await
}

/// A game with so many events.
async fn grow(store: &Store, word: &str, event_count: usize) -> GameId {
    let game: GameId = word.parse().expect("a good word");
    let first = found_batch(&game);
    let mut fold = Fold::start();
    fold.follow(&first.events[0].open)
        .expect("a founding folds");
    let mut head: Head = first.head;
    let mut state: State = fold.state;
    store.append(&[first]).await.expect("room on the disk");
    while head.seq.0 < event_count as u64 {
        let left = event_count - usize::try_from(head.seq.0).unwrap_or(event_count);
        let acts: Vec<Act> = (0..left.min(BATCH)).map(act).collect();
        let (batch, grown) = grown_batch(&game, state, head, acts, "k");
        (head, state) = (batch.head, grown);
        store.append(&[batch]).await.expect("room on the disk");
    }
    game
}

fn act(n: usize) -> Act {
    if n.is_multiple_of(PAGE_EVERY) {
        plays("say", i64::try_from(n).unwrap_or(0))
    } else {
        plays("add", 1)
    }
}
