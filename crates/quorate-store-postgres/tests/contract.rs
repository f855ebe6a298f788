//! The contract of every store, kept by the database, and what only several nodes can break.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::{
    ChannelAudience, ChannelSort, FollowPoint, NewChannel, NewLetter, Outbox,
};
use quorate_notices::topic::NoticeTopic;
use quorate_runtime::ports::{
    Accounts, Buckets, ClaimFor, ClaimedGame, Epoch, Journal, NewAccount, News, Nodes,
    ServerSecret, StoreError,
};
use quorate_runtime::testing::{contract, found_batch};
use quorate_store_postgres::PostgresStore;
use quorate_store_postgres::testing::{PrivateServer, node};
use sqlx::{Connection, Executor, PgConnection};

async fn open(address: &str, name: &str) -> PostgresStore {
    PostgresStore::open(address, ServerSecret::new([9; 32]), node(name))
        .await
        .unwrap()
}

fn reef() -> GameId {
    "reef".parse().unwrap()
}

fn epoch(claim: ClaimedGame) -> Epoch {
    match claim {
        ClaimedGame::Ours(lease) => lease.epoch,
        ClaimedGame::Theirs(node) => panic!("{node:?} owns it"),
    }
}

fn owner(claim: ClaimedGame) -> String {
    match claim {
        ClaimedGame::Theirs(node) => node.name.to_string(),
        ClaimedGame::Ours(lease) => panic!("it is ours: {lease:?}"),
    }
}

#[tokio::test]
async fn the_database_keeps_the_contract() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    contract::journal(&open(&server.fresh("journal"), "a").await).await;
    contract::seals(&open(&server.fresh("seals"), "a").await).await;
    contract::accounts(&open(&server.fresh("accounts"), "a").await).await;
    contract::safety(&open(&server.fresh("safety"), "a").await).await;
    contract::moderation(&open(&server.fresh("moderation"), "a").await).await;
    contract::drafts(&open(&server.fresh("drafts"), "a").await).await;
    let store = open(&server.fresh("uploads"), "a").await;
    contract::uploads(&store, &store).await;
    contract::archives(&open(&server.fresh("archives"), "a").await).await;
    contract::search(&open(&server.fresh("search"), "a").await).await;
    let store = open(&server.fresh("outbox"), "a").await;
    quorate_notices::testing::outbox(&store, &store).await;
    let whole = async |name: &str| open(&server.fresh(name), "a").await;
    contract::whole(
        &whole("one").await,
        &whole("two").await,
        &whole("three").await,
    )
    .await;
}

#[tokio::test]
async fn one_node_at_a_time_delivers() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("outbox");
    let (one, two) = (open(&address, "one").await, open(&address, "two").await);
    let delivers = async |store: &PostgresStore| store.claim_delivery().await.unwrap();
    assert!(delivers(&one).await);
    assert!(delivers(&one).await, "it keeps its turn");
    assert!(!delivers(&two).await);
    // Whoever is about to stop hands over, and does not take the turn back.
    assert!(one.set_draining("one", true).await.unwrap());
    assert!(delivers(&two).await);
    assert!(!delivers(&one).await);
    // Another process of that name is not the one that had the turn.
    let heir = open(&address, "two").await;
    assert!(!delivers(&two).await, "it was replaced");
    assert!(delivers(&heir).await);
    heir.leave().await.unwrap();
    assert!(delivers(&one).await, "better a node that drains than none");
}

#[tokio::test]
async fn two_nodes_that_follow_a_log_write_each_letter_once() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("outbox");
    let (one, two) = (open(&address, "one").await, open(&address, "two").await);
    let account = NewAccount {
        name: "Anna".to_owned(),
        mail: None,
        password: None,
        operator: false,
        made_at: Moment(1),
    };
    let account = one.make(&account).await.unwrap();
    let channel = NewChannel {
        account,
        audience: ChannelAudience::ALL,
        sort: ChannelSort::Webhook,
        address: "https://hooks.example".to_owned(),
        secret: String::new(),
        made_at: Moment(1),
        confirmed_at: Some(Moment(1)),
    };
    let channel = one.make_channel(&channel).await.unwrap();
    for round in 0..20 {
        let letter = NewLetter {
            channel,
            bundle: format!("of {round}"),
            seq: EventSeq(round + 1),
            kind: NoticeKind::Closed,
            topic: NoticeTopic::Dynasty(1),
            at: Moment(1),
            due_at: Moment(1),
        };
        let (from, letters) = (EventSeq(round), [letter]);
        let to = FollowPoint {
            seq: EventSeq(round + 1),
            ..FollowPoint::default()
        };
        let game = reef();
        let (first, second) = tokio::join!(
            one.take_in(&game, from, &to, &letters),
            two.take_in(&game, from, &to, &letters),
        );
        assert!(
            first.unwrap() != second.unwrap(),
            "one of them, in round {round}"
        );
    }
    assert_eq!(one.letters_of(channel, 50).await.unwrap().len(), 20);
}

#[tokio::test]
async fn one_node_at_a_time_writes_to_a_game() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("games");
    let (one, two) = (open(&address, "one").await, open(&address, "two").await);
    let claim = async |store: &PostgresStore| store.claim(&reef(), ClaimFor::Founding).await;
    let mut batch = found_batch(&reef());
    let unfounded = one.claim(&reef(), ClaimFor::Writing).await;
    assert_eq!(unfounded, Err(StoreError::NoGame { game: reef() }));
    let first = epoch(claim(&one).await.unwrap());
    assert_eq!(owner(claim(&two).await.unwrap()), "one");
    batch.epoch = Epoch(first.0 + 1);
    let taken = StoreError::GameTaken { game: reef() };
    assert_eq!(
        two.append(std::slice::from_ref(&batch)).await,
        Err(taken.clone())
    );
    // Another process takes the name of the first: its leases end at once, and whoever held them writes no more.
    let heir = open(&address, "one").await;
    let second = epoch(claim(&two).await.unwrap());
    assert_eq!(second, Epoch(first.0 + 1));
    batch.epoch = first;
    assert_eq!(one.append(std::slice::from_ref(&batch)).await, Err(taken));
    let node = "one".into();
    assert_eq!(one.renew().await, Err(StoreError::NodeReplaced { node }));
    batch.epoch = second;
    two.append(std::slice::from_ref(&batch)).await.unwrap();
    assert_eq!(owner(claim(&heir).await.unwrap()), "two");
    assert_eq!(heir.unowned_dues(Moment(i64::MAX)).await.unwrap(), []);
    two.leave().await.unwrap();
    assert_eq!(epoch(claim(&heir).await.unwrap()), Epoch(second.0 + 1));
}

#[tokio::test]
async fn a_node_that_drains_names_another_and_word_of_what_it_wrote_arrives() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("games");
    let (one, two) = (open(&address, "one").await, open(&address, "two").await);
    let three = PostgresStore::open(&address, ServerSecret::new([9; 32]), {
        let mut three = node("three");
        three.address = "three:7".to_owned();
        three
    });
    let _three = three.await.unwrap();
    assert!(one.set_draining("one", true).await.unwrap());
    assert!(!one.set_draining("none", true).await.unwrap());
    while one.news().await != News::Draining {}
    assert!(one.renew().await.unwrap().is_draining);
    let claimed = one.claim(&reef(), ClaimFor::Founding).await.unwrap();
    assert_eq!(owner(claimed), "three");
    let mut batch = found_batch(&reef());
    batch.epoch = epoch(two.claim(&reef(), ClaimFor::Founding).await.unwrap());
    two.append(&[batch]).await.unwrap();
    while one.news().await != News::Grown(reef(), EventSeq(1)) {}
    let nodes = one.list().await.unwrap();
    assert_eq!(nodes.len(), 1, "those without an address take no commands");
}

#[tokio::test]
async fn an_older_release_goes_on_beside_a_newer_one_until_the_tables_say_otherwise() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("games");
    let older = open(&address, "older").await;
    let mut batch = found_batch(&reef());
    batch.epoch = epoch(older.claim(&reef(), ClaimFor::Founding).await.unwrap());
    older.append(&[batch]).await.unwrap();
    let read = older.games().await.unwrap();
    // A newer release adds to the tables, as its migrations do.
    let mut newer = PgConnection::connect(&address).await.unwrap();
    let migration = "ALTER TABLE games ADD COLUMN motto text NOT NULL DEFAULT ''; \
        INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
        VALUES (99999, 'of a later release', true, '\\x00', 0)";
    newer.execute(sqlx::raw_sql(migration)).await.unwrap();
    assert_eq!(older.games().await.unwrap(), read);
    let beside = open(&address, "beside").await;
    assert_eq!(beside.games().await.unwrap(), read);
    // Where it changes what an older one leans on, it says so, and no older one joins any more.
    newer
        .execute("UPDATE server SET needs = needs + 1")
        .await
        .unwrap();
    let late = PostgresStore::open(&address, ServerSecret::new([9; 32]), node("late")).await;
    let error = late.err().unwrap();
    assert!(matches!(error, StoreError::Later { .. }), "{error}");
}

#[tokio::test]
async fn nodes_count_tries_together() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("games");
    let (one, two) = (open(&address, "one").await, open(&address, "two").await);
    let (anna, bo) = (Digest::of(b"anna"), Digest::of(b"bo"));
    // A token comes back after twenty minutes.
    let draw = async |node: &PostgresStore, whose| node.draw(whose, 3, 3_600).await.unwrap();
    for node in [&one, &two, &one] {
        assert_eq!(draw(node, anna).await, None);
    }
    for node in [&one, &two] {
        let wait = draw(node, anna).await.unwrap();
        assert!((1..=1_200_001).contains(&wait), "{wait}");
    }
    assert_eq!(draw(&two, bo).await, None);
}

#[tokio::test]
async fn a_node_with_another_secret_does_not_join() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("games");
    let _one = open(&address, "one").await;
    let other = PostgresStore::open(&address, ServerSecret::new([8; 32]), node("two")).await;
    let error = other.err().unwrap();
    assert!(matches!(error, StoreError::OtherSecret { .. }), "{error}");
}
