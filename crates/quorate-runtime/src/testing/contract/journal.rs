//! The contract of [`Journal`].

use quorate_kernel::command::Actor;
use quorate_kernel::digest::Digest;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::state::State;
use quorate_kernel::{GameId, Moment};

use crate::fold::{Fold, open, snapshot_of};
use crate::judge::Head;
use crate::ports::{
    Arrival, Batch, ClaimFor, ClaimedGame, Epoch, Journal, Outage, Seals, StoreError,
};
use crate::testing::{count, found_batch, grown_batch, plays};

/// Runs the whole contract on an empty store.
pub async fn journal<S: Journal + Seals>(store: &S) {
    a_game_is_founded_once(store).await;
    events_are_read_as_they_were_written(store).await;
    a_batch_that_does_not_fit_leaves_nothing(store).await;
    receipts_are_found_by_actor_and_key(store).await;
    the_nearest_snapshot_is_found(store).await;
    a_damaged_snapshot_is_folded_anew(store).await;
    a_game_on_its_way_in_is_unseen_and_can_be_dropped(store).await;
    a_removed_game_is_as_if_it_were_not_there(store).await;
    downtime_is_known_afterwards(store).await;
    an_owner_claims_the_same_lease_again(store).await;
}

fn game(word: &str) -> GameId {
    word.parse().expect("tests name their games well")
}

fn anna() -> Actor {
    Actor::Player(PlayerId(Id::new(EventSeq(1), 0)))
}

/// The epoch under which this node owns a game.
pub(super) async fn claimed<S: Journal>(store: &S, game: &GameId) -> Epoch {
    match store.claim(game, ClaimFor::Founding).await.unwrap() {
        ClaimedGame::Ours(lease) => lease.epoch,
        ClaimedGame::Theirs(node) => panic!("{game} belongs to {node:?} in an empty store"),
    }
}

async fn found<S: Journal>(store: &S, word: &str) -> (GameId, Batch, State) {
    let game = game(word);
    let mut batch = found_batch(&game);
    batch.epoch = claimed(store, &game).await;
    store.append(std::slice::from_ref(&batch)).await.unwrap();
    let mut fold = Fold::start();
    fold.follow(&batch.events[0].open).unwrap();
    (game, batch, fold.state)
}

async fn a_game_is_founded_once<S: Journal>(store: &S) {
    let (game, batch, _) = found(store, "once").await;
    let row = store.game(&game).await.unwrap().unwrap();
    assert_eq!((row.head, row.whole), (batch.head, true));
    assert!(store.games().await.unwrap().contains(&row));
    let again = store.append(&[batch]).await;
    assert_eq!(again, Err(StoreError::GameExists { game }));
    assert_eq!(store.game(&self::game("none")).await, Ok(None));
}

async fn events_are_read_as_they_were_written<S: Journal>(store: &S) {
    let (game, first, state) = found(store, "read").await;
    let (more, state) = grown_batch(
        &game,
        state,
        first.head,
        vec![plays("add", 2), plays("ring", 9_000)],
        "k",
    );
    let (other, ..) = found(store, "read-beside").await;
    store.append(std::slice::from_ref(&more)).await.unwrap();
    let (last, _) = grown_batch(&game, state, more.head, vec![plays("add", 3)], "k");
    store.append(std::slice::from_ref(&last)).await.unwrap();
    let written: Vec<_> = [&first, &more, &last]
        .into_iter()
        .flat_map(|batch| batch.events.iter().map(|event| event.open.clone()))
        .collect();
    assert_eq!(
        store.events(&game, EventSeq(1), 100).await.unwrap(),
        written
    );
    assert_eq!(
        store.events(&game, EventSeq(2), 2).await.unwrap(),
        written[1..3]
    );
    assert_eq!(
        store.events(&game, EventSeq(5), 9).await.unwrap(),
        [[0; 0]; 0]
    );
    let row = store.game(&game).await.unwrap().unwrap();
    assert_eq!((row.head, row.next_due), (last.head, Some(Moment(9_000))));
    let row = store.game(&other).await.unwrap().unwrap();
    assert_eq!((row.head.seq, row.next_due), (EventSeq(1), None));
}

async fn a_batch_that_does_not_fit_leaves_nothing<S: Journal>(store: &S) {
    let (one, first, state) = found(store, "fit-one").await;
    let (two, second, other) = found(store, "fit-two").await;
    let (good, _) = grown_batch(&one, state, first.head, vec![plays("add", 1)], "k");
    let (mut misfit, _) = grown_batch(&two, other, second.head, vec![plays("add", 1)], "k");
    misfit.after.hash = Digest::of(b"another history");
    let refused = store.append(&[good.clone(), misfit]).await;
    assert_eq!(refused, Err(StoreError::HeadMoved { game: two.clone() }));
    let row = store.game(&one).await.unwrap().unwrap();
    assert_eq!(row.head, first.head, "nothing of the good batch is there");
    assert_eq!(store.events(&one, EventSeq(2), 9).await.unwrap().len(), 0);
    store.append(std::slice::from_ref(&good)).await.unwrap();
    let twice = store.append(&[good]).await;
    assert_eq!(twice, Err(StoreError::HeadMoved { game: one }));
    let (mut nowhere, _) = grown_batch(
        &game("fit-none"),
        State::default(),
        second.head,
        vec![plays("add", 1)],
        "k",
    );
    nowhere.after = second.head;
    nowhere.epoch = claimed(store, &nowhere.game).await;
    let refused = store.append(&[nowhere]).await;
    assert_eq!(
        refused,
        Err(StoreError::NoGame {
            game: game("fit-none")
        })
    );
}

async fn receipts_are_found_by_actor_and_key<S: Journal>(store: &S) {
    let (game, first, state) = found(store, "receipts").await;
    let acts = vec![plays("add", 1), plays("add", 1)];
    let (more, _) = grown_batch(&game, state, first.head, acts, "k");
    store.append(&[more]).await.unwrap();
    let keys = [
        (anna(), "k 3".into()),
        (anna(), "k 4".into()),
        (Actor::Operator, "k 3".into()),
        (anna(), "k 2".into()),
    ];
    let found = store.receipts(&game, &keys).await.unwrap();
    assert_eq!(found, [Some(EventSeq(3)), None, None, Some(EventSeq(2))]);
}

async fn the_nearest_snapshot_is_found<S: Journal + Seals>(store: &S) {
    let (game, first, state) = found(store, "snapshots").await;
    let acts = vec![plays("add", 1); 6];
    let (more, grown) = grown_batch(&game, state.clone(), first.head, acts, "k");
    store.append(std::slice::from_ref(&more)).await.unwrap();
    let early = snapshot_of(&state, first.head);
    let late = snapshot_of(&grown, more.head);
    store.put_snapshot(&game, &early).await.unwrap();
    store.put_snapshot(&game, &late).await.unwrap();
    store.put_snapshot(&game, &late).await.unwrap();
    let nearest = async |seq| store.snapshot_before(&game, EventSeq(seq)).await.unwrap();
    assert_eq!(nearest(0).await, None);
    assert_eq!(nearest(6).await, Some(early));
    assert_eq!(nearest(7).await, Some(late.clone()));
    assert_eq!(nearest(900).await, Some(late));
    let opened = open(store, store, &game).await.unwrap();
    assert_eq!((opened.snapshot, opened.state), (EventSeq(7), grown));
}

async fn a_damaged_snapshot_is_folded_anew<S: Journal + Seals>(store: &S) {
    let (game, first, state) = found(store, "damaged").await;
    let (more, grown) = grown_batch(&game, state, first.head, vec![plays("add", 5)], "k");
    store.append(std::slice::from_ref(&more)).await.unwrap();
    let mut bad = snapshot_of(&grown, more.head);
    bad.open.push(7);
    store.put_snapshot(&game, &bad).await.unwrap();
    let opened = open(store, store, &game).await.unwrap();
    assert_eq!((opened.snapshot, count(&opened.state)), (EventSeq(0), 5));
}

async fn a_game_on_its_way_in_is_unseen_and_can_be_dropped<S: Journal + Seals>(store: &S) {
    let game = game("arriving");
    let mut batch = found_batch(&game);
    batch.epoch = claimed(store, &game).await;
    let secret = Some([7; 32]);
    batch.arrival = Some(Arrival { secret });
    store.append(std::slice::from_ref(&batch)).await.unwrap();
    let seen = store.games().await.unwrap();
    assert!(seen.iter().all(|row| row.game != game));
    assert!(open(store, store, &game).await.is_err());
    store.discard(&game).await.unwrap();
    assert_eq!(store.game(&game).await, Ok(None));
    store.append(std::slice::from_ref(&batch)).await.unwrap();
    store.unveil(&game).await.unwrap();
    store.discard(&game).await.unwrap();
    let row = store.game(&game).await.unwrap().unwrap();
    assert_eq!((row.head, row.secret), (batch.head, secret));
    assert!(store.games().await.unwrap().contains(&row));
    assert_ne!(row.head, Head::START);
}

async fn a_removed_game_is_as_if_it_were_not_there<S: Journal + Seals>(store: &S) {
    let (game, batch, state) = found(store, "removed").await;
    let row = store.game(&game).await.unwrap().unwrap();
    let none = self::game("never-there");
    assert_eq!(store.set_removed(&none, Some(Moment(9))).await, Ok(false));
    assert_eq!(store.set_removed(&game, Some(Moment(9))).await, Ok(true));
    assert_eq!(store.game(&game).await, Ok(None));
    assert!(!store.games().await.unwrap().contains(&row));
    assert!(open(store, store, &game).await.is_err());
    assert_eq!(
        store.removed().await.unwrap(),
        [(game.clone(), Moment(9))],
        "the operator finds it again"
    );
    let again = store.append(std::slice::from_ref(&batch)).await;
    let exists = StoreError::GameExists { game: game.clone() };
    assert_eq!(again, Err(exists), "its word stays taken");
    store.discard(&game).await.unwrap();
    assert_eq!(store.set_removed(&game, None).await, Ok(true));
    assert_eq!(store.game(&game).await, Ok(Some(row)));
    assert_eq!(open(store, store, &game).await.unwrap().state, state);
    assert_eq!(store.removed().await.unwrap(), []);
}

async fn an_owner_claims_the_same_lease_again<S: Journal>(store: &S) {
    let (game, ..) = found(store, "owned").await;
    let epoch = claimed(store, &game).await;
    assert_eq!(claimed(store, &game).await, epoch);
    store.release(&game, Epoch(epoch.0 + 7)).await.unwrap();
    assert_eq!(claimed(store, &game).await, epoch, "it was not that lease");
    store.release(&game, epoch).await.unwrap();
    assert!(claimed(store, &game).await >= epoch);
}

async fn downtime_is_known_afterwards<S: Journal>(store: &S) {
    assert_eq!(store.last_beat().await, Ok(None));
    store.beat(Moment(5)).await.unwrap();
    store.beat(Moment(7)).await.unwrap();
    assert_eq!(store.last_beat().await, Ok(Some(Moment(7))));
    let outage = |since, until| Outage {
        since: Moment(since),
        until: Moment(until),
    };
    store.note_outage(outage(7, 70)).await.unwrap();
    store.note_outage(outage(80, 90)).await.unwrap();
    let after = async |at| store.outages(Moment(at)).await.unwrap();
    assert_eq!(after(0).await, [outage(7, 70), outage(80, 90)]);
    assert_eq!(after(70).await, [outage(80, 90)]);
    assert_eq!(after(i64::MIN).await.len(), 2);
}
