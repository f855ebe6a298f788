//! The contract of [`Archives`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment};

use super::journal::claimed;
use crate::fold::{Fold, open};
use crate::judge::Head;
use crate::old_events::put_away;
use crate::ports::{Archives, Objects, Seals, StoreError};
use crate::testing::{found_batch, grown_batch, plays};
use crate::verify::{Grade, verify};

/// Files in memory.
#[derive(Default)]
struct FilesInMemory(Mutex<BTreeMap<String, Vec<u8>>>);

impl FilesInMemory {
    fn files(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Objects for FilesInMemory {
    async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        self.files().insert(name.to_owned(), bytes);
        Ok(())
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.files().get(name).cloned())
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.files().remove(name);
        Ok(())
    }

    async fn remove_all(&self, folder: &str, _: &str) -> Result<(), StoreError> {
        self.files().retain(|name, _| !name.starts_with(folder));
        Ok(())
    }
}

/// How many events the game has: more than a file takes.
const EVENTS: u64 = 1_207;

/// The contract. The store is empty.
pub async fn archives<S: Archives + Seals>(store: &S) {
    let game: GameId = "harbour".parse().expect("a good word");
    let (head, state) = long_game(store, &game).await;
    let written = all_of(store, &game).await.unwrap();
    let late = Moment(head.at.0 + 1);
    assert_eq!(
        store.resting(head.at).await.unwrap(),
        [],
        "it does not rest"
    );
    let rows = store.resting(late).await.unwrap();
    assert_eq!(rows, [store.game(&game).await.unwrap().unwrap()]);

    let objects = Arc::new(FilesInMemory::default());
    put_away(store, store, &*objects, &rows[0]).await.unwrap();
    let names = ["0000000001-0000001000", "0000001001-0000001207"];
    let names = names.map(|name| format!("events/harbour/{name}"));
    assert!(objects.files().keys().eq(&names));
    assert_eq!(store.resting(late).await.unwrap(), [], "it is put away");
    let untold = StoreError::Elsewhere { game: game.clone() };
    assert_eq!(all_of(store, &game).await, Err(untold), "nobody said where");
    let opened = open(store, store, &game).await.unwrap();
    assert_eq!(opened.state.digest(), state.digest());
    assert_eq!(opened.snapshot, head.seq);
    store.read_old_events_from(objects.clone());
    assert_eq!(all_of(store, &game).await.as_ref(), Ok(&written));
    let some = store.events(&game, EventSeq(999), 4).await.unwrap();
    assert_eq!(some, written[998..1_002]);

    let (mut more, _) = grown_batch(&game, state, head, vec![plays("add", 2)], "later");
    more.epoch = claimed(store, &game).await;
    store.append(std::slice::from_ref(&more)).await.unwrap();
    let mut grown = written;
    grown.push(more.events[0].open.clone());
    assert_eq!(all_of(store, &game).await.as_ref(), Ok(&grown));
    let row = store.game(&game).await.unwrap().unwrap();
    put_away(store, store, &*objects, &row).await.unwrap();
    assert_eq!(all_of(store, &game).await.as_ref(), Ok(&grown));
    let verdict = verify(store, store, &game, Grade::Fold, &mut |_| {}).await;
    assert!(verdict.unwrap().holds());

    let gone = "events/harbour/0000001001-0000001208";
    objects.remove(gone).await.unwrap();
    // The other file is read in between, for the newest is at hand.
    store.events(&game, EventSeq(1), 1).await.unwrap();
    let lost = StoreError::ObjectLost { name: gone.into() };
    assert_eq!(all_of(store, &game).await, Err(lost));
}

async fn all_of<S: Archives>(store: &S, game: &GameId) -> Result<Vec<Vec<u8>>, StoreError> {
    store.events(game, EventSeq(1), 10_000).await
}

/// Founds a game and grows it, all in two batches.
async fn long_game<S: Archives>(store: &S, game: &GameId) -> (Head, State) {
    let mut founded = found_batch(game);
    founded.epoch = claimed(store, game).await;
    store.append(std::slice::from_ref(&founded)).await.unwrap();
    let mut fold = Fold::start();
    fold.follow(&founded.events[0].open).unwrap();
    let acts = (1..EVENTS).map(|_| plays("add", 1)).collect();
    let (mut more, state) = grown_batch(game, fold.state, founded.head, acts, "k");
    more.epoch = founded.epoch;
    store.append(std::slice::from_ref(&more)).await.unwrap();
    (more.head, state)
}
