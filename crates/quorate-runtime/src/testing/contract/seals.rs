//! The contract of [`Seals`].

use quorate_kernel::GameId;
use quorate_kernel::digest::Digest;
use quorate_kernel::ids::EventSeq;
use quorate_kernel::state::State;

use crate::fold::{Fold, open};
use crate::ports::{Journal, Seals};
use crate::testing::{found_batch, grown_batch, plays};

/// Runs the whole contract on an empty store.
pub async fn seals<S: Journal + Seals>(store: &S) {
    what_lies_beside_the_log_is_found_and_opens_the_state(store).await;
    what_is_forgotten_stays_forgotten(store).await;
}

async fn spoken<S: Journal>(store: &S, word: &str) -> (GameId, Vec<Digest>, State) {
    let game: GameId = word.parse().expect("tests name their games well");
    let mut first = found_batch(&game);
    first.epoch = super::journal::claimed(store, &game).await;
    let mut fold = Fold::start();
    fold.follow(&first.events[0].open).unwrap();
    let acts = vec![plays("say", 1), plays("say", 2)];
    let (more, state) = grown_batch(&game, fold.state, first.head, acts, word);
    let digests = more
        .events
        .iter()
        .flat_map(|e| e.seals.iter().map(|s| s.digest));
    let digests = digests.collect();
    store.append(&[first]).await.unwrap();
    store.append(&[more]).await.unwrap();
    (game, digests, state)
}

fn texts(state: &State) -> Vec<&str> {
    state
        .pages
        .values()
        .map(|page| page.text.as_str())
        .collect()
}

async fn what_lies_beside_the_log_is_found_and_opens_the_state<S: Journal + Seals>(store: &S) {
    let (game, digests, state) = spoken(store, "spoken").await;
    assert_eq!(digests.len(), 2);
    let mut asked = digests.clone();
    asked.push(Digest::of(b"never written"));
    let found = store.find(&asked).await.unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[&digests[0]].bytes, b"said 1");
    let opened = open(store, store, &game).await.unwrap();
    assert_eq!(opened.state, state);
    assert_eq!(texts(&opened.state), ["said 1", "said 2"]);
    assert_eq!(opened.closed_count, 0);
    assert_eq!(store.find(&[]).await.unwrap().len(), 0);
}

async fn what_is_forgotten_stays_forgotten<S: Journal + Seals>(store: &S) {
    let (game, digests, state) = spoken(store, "forgotten").await;
    assert_eq!(store.forget(&digests[..1]).await, Ok(1));
    assert_eq!(store.forget(&digests[..1]).await, Ok(0));
    let opened = open(store, store, &game).await.unwrap();
    assert_eq!(texts(&opened.state), ["", "said 2"]);
    assert_eq!(opened.closed_count, 1);
    assert_eq!(opened.state.digest(), state.digest(), "the chain holds");
    // A later event that still carries the content does not bring it back.
    let mut carrier = grown_batch(&game, state, opened.row.head, vec![plays("say", 3)], "k").0;
    let events = store.events(&game, EventSeq(2), 1).await.unwrap();
    let mut event = quorate_kernel::record::decode(&events[0]).unwrap();
    event.each_seal(&mut |seal| assert!(seal.digest() == digests[0]));
    let remembered = quorate_kernel::seal::SealBytes {
        digest: digests[0],
        salt: [0; 16],
        bytes: b"said 1".to_vec(),
    };
    carrier.events[0].seals.push(remembered);
    store.append(&[carrier]).await.unwrap();
    assert_eq!(store.find(&digests).await.unwrap().len(), 1);
}
