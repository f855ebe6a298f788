//! Everything goes from a folder into a database and back, and is the same.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a panic is a fine way for a test to fail"
)]

use std::path::Path;
use std::process::Command;

use quorate_kernel::digest::Digest;
use quorate_kernel::ids::{EventSeq, Id, PlayerId};
use quorate_kernel::{GameId, Moment};
use quorate_runtime::ports::{
    AccountId, Accounts, Drafts, Invitation, Journal, KeptDraft, NewAccount, Outage, Recovery,
    Seat, ServerSecret, Session, Token, TokenScope, carry,
};
use quorate_runtime::testing::contract::{kept, plant, same};
use quorate_store::{Store, StoreOptions};
use quorate_store_postgres::PostgresStore;
use quorate_store_postgres::testing::{PrivateServer, node};

fn quorate(arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate"));
    let done = command.args(arguments).output().unwrap();
    if done.status.success() {
        return Ok(String::from_utf8(done.stdout).unwrap());
    }
    Err(String::from_utf8(done.stderr).unwrap())
}

async fn open(folder: &Path) -> Store {
    Store::open(folder, StoreOptions::default()).await.unwrap()
}

async fn database(address: &str) -> PostgresStore {
    let secret = ServerSecret::new([7; 32]);
    let opened = PostgresStore::open(address, secret, node("the-test")).await;
    opened.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_of_every_table_goes_either_way() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let folders = tempfile::tempdir().unwrap();
    let folder = async |name: &str| open(&folders.path().join(name)).await;
    let (first, second, third) = (
        folder("first").await,
        folder("second").await,
        folder("third").await,
    );
    let there = database(&server.fresh("there")).await;
    plant(&first).await;
    let planted = kept(&first).await;
    assert!(planted.values().all(|(_, rows)| rows.len() == 1));
    assert!(planted.len() > 20, "{:?}", planted.keys());
    assert!(carry(&first, &there).await.unwrap().left_behind.is_empty());
    assert_eq!(same(&planted, &kept(&there).await), [""; 0]);
    // Back again, and to another folder at once.
    let taken = carry(&there, &second).await.unwrap();
    assert!(taken.left_behind.is_empty());
    assert_eq!(same(&kept(&there).await, &kept(&second).await), [""; 0]);
    // What a database alone has goes into a folder too.
    let here = database(&server.fresh("here")).await;
    plant(&here).await;
    let planted = kept(&here).await;
    assert!(carry(&here, &third).await.unwrap().left_behind.is_empty());
    assert_eq!(same(&planted, &kept(&third).await), [""; 0]);
    // Neither is mixed with what is there.
    assert!(carry(&first, &here).await.is_err());
    assert!(carry(&here, &second).await.is_err());
}

/// Accounts with something of each kind, a number that was given and taken away, and some downtime.
async fn fill(folder: &Path) {
    let store = open(folder).await;
    let account = |name: &str| NewAccount {
        name: name.to_owned(),
        mail: Some(format!("{name}@example.org")),
        password: Some("$argon2id$…".to_owned()),
        operator: name == "Anna",
        made_at: Moment(5),
    };
    let anna = store.make(&account("Anna")).await.unwrap();
    let bo = store.make(&account("Bo")).await.unwrap();
    let gone = store.make(&account("Gone")).await.unwrap();
    store.erase(gone).await.unwrap();
    let digest = |of: &str| Digest::of(of.as_bytes());
    let game: GameId = "town".parse().unwrap();
    let session = Session {
        digest: digest("session"),
        account: bo,
        began_at: Moment(6),
        ends_at: Moment(i64::MAX),
    };
    store.begin_session(&session).await.unwrap();
    for (nth, label) in ["second", "first"].into_iter().enumerate() {
        let token = Token {
            digest: digest(label),
            account: anna,
            label: label.to_owned(),
            scopes: TokenScope::ALL.into_iter().skip(nth).collect(),
            game: (nth == 0).then(|| game.clone()),
            made_at: Moment(7),
            ends_at: (nth == 0).then_some(Moment(9)),
        };
        store.make_token(&token).await.unwrap();
    }
    let invitation = Invitation {
        digest: digest("invitation"),
        made_by: Some(anna),
        game: Some(game.clone()),
        uses_left: 3,
        ends_at: Moment(8),
    };
    store.invite(&invitation).await.unwrap();
    let recovery = Recovery {
        digest: digest("recovery"),
        account: bo,
        ends_at: Moment(8),
    };
    store.make_recovery(&recovery).await.unwrap();
    let player = PlayerId(Id::new(EventSeq(1), 0));
    fill_game(&store, anna, game, player).await;
    let outage = Outage {
        since: Moment(1),
        until: Moment(2),
    };
    store.note_outage(outage).await.unwrap();
    store.close().await;
}

/// A seat, a message that was read, and a draft, all of one account in `game`.
async fn fill_game(store: &Store, anna: AccountId, game: GameId, player: PlayerId) {
    let seat = Seat {
        game: game.clone(),
        player,
        account: anna,
    };
    store.take_seat(&seat).await.unwrap();
    let read = store.note_messages_read(anna, &game, "Bo", EventSeq(2));
    read.await.unwrap();
    let draft = KeptDraft {
        game: game.clone(),
        form: "post".to_owned(),
        title: "A bridge".to_owned(),
        at: Moment(9),
        fields: "title=A+bridge".to_owned(),
    };
    store.keep_draft(anna, &draft).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_goes_into_a_database_and_comes_back_the_same() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("site");
    let folders = tempfile::tempdir().unwrap();
    let (first, second) = (folders.path().join("first"), folders.path().join("second"));
    let (one, two) = (first.to_str().unwrap(), second.to_str().unwrap());
    quorate(&["new", "one-page", "--id", "town", "--data", one]).unwrap();
    for line in ["line=one DICE6", "line=two DICE20"] {
        let roll = ["act", "town", "--as", "Anna", "dice", line, "--data", one];
        quorate(&roll).unwrap();
    }
    fill(&first).await;
    let from = format!("sqlite:{one}");
    let to = format!("sqlite:{two}");
    quorate(&["migrate", &from, &address, "--data", one]).unwrap();
    let again = quorate(&["migrate", &from, &address, "--data", one]).unwrap_err();
    assert!(again.contains("name an empty place"), "{again}");
    quorate(&["migrate", &address, &to, "--data", one]).unwrap();
    let export = |place: &[&str]| {
        let words = [&["export", "town"][..], place].concat();
        quorate(&words).unwrap()
    };
    let exported = export(&["--data", one]);
    assert_eq!(export(&["--data", two]), exported);
    let there = ["--data", one, "--database", address.as_str()];
    assert_eq!(export(&there), exported);
    let (first, second) = (open(&first).await, open(&second).await);
    let (before, after) = (kept(&first).await, kept(&second).await);
    assert_eq!(same(&before, &after), [""; 0]);
    for kept in [before, after] {
        assert_eq!(kept["accounts"].0.highest, Some(3));
        assert_eq!(kept["drafts"].1.len(), 1);
    }
    let outages = first.outages(Moment(i64::MIN)).await.unwrap();
    assert_eq!(second.outages(Moment(i64::MIN)).await.unwrap(), outages);
}

#[test]
fn another_game_in_the_way_is_told_and_left_alone() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("site");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let here = ["new", "one-page", "--id", "town", "--data", path];
    quorate(&here).unwrap();
    quorate(&[&here[..], &["--database", address.as_str()][..]].concat()).unwrap();
    let from = format!("sqlite:{path}");
    let said = quorate(&["migrate", &from, &address, "--data", path]).unwrap_err();
    assert!(said.contains("name an empty place"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_database_goes_into_a_folder_and_into_another_database() {
    let Some(server) = PrivateServer::start() else {
        return;
    };
    let address = server.fresh("site");
    let folders = tempfile::tempdir().unwrap();
    let place = |name: &str| folders.path().join(name).to_str().unwrap().to_owned();
    let (data, copy, tar) = (place("data"), place("copy"), place("copy.tar"));
    let site = ["--data", data.as_str(), "--database", address.as_str()];
    let at_site = |words: &[&str]| quorate(&[words, &site[..]].concat());
    at_site(&["new", "one-page", "--id", "town"]).unwrap();
    at_site(&["act", "town", "--as", "Anna", "dice", "line=one DICE6"]).unwrap();
    let exported = at_site(&["export", "town"]).unwrap();
    for into in [&copy, &tar] {
        at_site(&["backup", into]).unwrap();
        let again = at_site(&["backup", into]).unwrap_err();
        assert!(again.contains("is there already"), "{again}");
        let back = place(&format!("back-{}", into.len()));
        quorate(&["restore", into, "--data", &back]).unwrap();
        let verified = quorate(&["verify", "town", "--data", &back, "--json"]).unwrap();
        let verified: serde_json::Value = serde_json::from_str(&verified).unwrap();
        assert_eq!(verified["holds"], true);
        assert_eq!(
            quorate(&["export", "town", "--data", &back]).unwrap(),
            exported
        );
    }
    let left = folders.path().read_dir().unwrap().count();
    assert_eq!(
        left, 5,
        "the site's secret, two copies and what came of them"
    );
    let elsewhere = server.fresh("elsewhere");
    let there = ["--data", &place("there"), "--database", elsewhere.as_str()];
    let at_there = |words: &[&str]| quorate(&[words, &there[..]].concat());
    at_there(&["restore", &tar]).unwrap();
    assert_eq!(at_there(&["export", "town"]).unwrap(), exported);
    at_there(&["act", "town", "--as", "Anna", "dice", "line=two DICE6"]).unwrap();
    let again = at_there(&["restore", &tar]).unwrap_err();
    assert!(again.contains("name an empty place"), "{again}");
}
