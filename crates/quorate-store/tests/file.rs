//! The file and its folder: leases, locks, backups, and everything that can be wrong with them.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::task::Poll;

use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, Name};
use quorate_runtime::ports::{
    Arrival, Batch, ClaimFor, ClaimedGame, IndexPoint, Journal, Seals, SearchIndex, SearchKey,
    SearchText, StoreError,
};
use quorate_runtime::testing::{found_batch, grown_batch, plays};
use quorate_store::{Store, StoreOptions, unpack};
use tempfile::TempDir;

fn reef() -> GameId {
    "reef".parse().unwrap()
}

async fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(folder, StoreOptions::default()).await
}

/// A folder with a game of so many events in it, closed.
async fn filled(event_count: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, event_count).await.unwrap();
    store.close().await;
    folder
}

/// The number of the lease under which a store is owned.
async fn lease(store: &Store) -> u64 {
    match store.claim(&reef(), ClaimFor::Founding).await {
        Ok(ClaimedGame::Ours(lease)) => lease.epoch.0,
        other => panic!("the owner of a folder owns its games: {other:?}"),
    }
}

async fn founded_by(store: &Store) -> Batch {
    let mut batch = found_batch(&reef());
    batch.epoch.0 = lease(store).await;
    batch
}

/// The state after the first event of a game.
fn folded(first: &quorate_runtime::ports::Batch) -> quorate_kernel::state::State {
    let mut fold = quorate_runtime::fold::Fold::start();
    fold.follow(&first.events[0].open).unwrap();
    fold.state
}

async fn grow(store: &Store, event_count: usize) -> Result<(), StoreError> {
    let first = founded_by(store).await;
    let epoch = first.epoch;
    let (mut head, mut state) = (first.head, folded(&first));
    store.append(&[first]).await?;
    for n in 1..event_count {
        let number = i64::try_from(n).unwrap();
        let acts = vec![plays("say", number)];
        let (mut batch, grown) = grown_batch(&reef(), state, head, acts, "k");
        batch.epoch = epoch;
        (head, state) = (batch.head, grown);
        store.append(&[batch]).await?;
    }
    Ok(())
}

fn error(opened: Result<Store, StoreError>) -> StoreError {
    opened.err().expect("this folder should not open")
}

#[tokio::test]
async fn each_owner_gets_the_next_lease_and_the_same_secret() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path()).await.unwrap();
    let secret = first.secret().unwrap().of_game(&reef());
    let lease = lease(&first).await;
    first.close().await;
    let second = open(folder.path()).await.unwrap();
    assert_eq!(self::lease(&second).await, lease + 1);
    assert_eq!(second.secret().unwrap().of_game(&reef()), secret);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_look_into_the_folder_or_at_the_secret() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    open(&folder).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("secret")), 0o600);
}

#[tokio::test]
async fn two_do_not_own_a_folder_and_a_second_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let owner = open(folder.path()).await.unwrap();
    grow(&owner, 3).await.unwrap();
    let second = error(open(folder.path()).await);
    assert!(matches!(second, StoreError::Taken { .. }), "{second}");
    let reader = Store::open_read_only(folder.path()).await.unwrap();
    assert_eq!(
        reader.events(&reef(), EventSeq(1), 9).await.unwrap().len(),
        3
    );
    let written = reader.beat(Moment(1)).await;
    assert!(matches!(written, Err(StoreError::ReadOnly { .. })));
}

#[tokio::test]
async fn whoever_lost_the_lease_writes_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let owner = open(folder.path()).await.unwrap();
    // As when the folder lies on a network whose locks do not hold: another process takes it over.
    let path = folder.path().join("lock");
    fs::remove_file(&path).unwrap();
    let usurper = open(folder.path()).await.unwrap();
    let lost = StoreError::LeaseLost {
        ours: lease(&owner).await,
        theirs: lease(&usurper).await,
    };
    assert_eq!(
        owner.append(&[founded_by(&owner).await]).await,
        Err(lost.clone())
    );
    assert_eq!(owner.beat(Moment(1)).await, Err(lost));
    assert_eq!(usurper.game(&reef()).await, Ok(None));
    usurper.append(&[founded_by(&usurper).await]).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_is_named_and_reading_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        bytes_max: Some(400_000),
        ..StoreOptions::default()
    };
    let store = Store::open(folder.path(), options).await.unwrap();
    assert_eq!(grow(&store, 100_000).await, Err(StoreError::Full));
    let row = store.game(&reef()).await.unwrap().unwrap();
    let events = store.events(&reef(), EventSeq(1), 200_000).await.unwrap();
    assert_eq!(
        events.len() as u64,
        row.head.seq.0,
        "nothing is there by half"
    );
    store.check().await.unwrap();
    store.close().await;
    // With more room it goes on.
    let store = open(folder.path()).await.unwrap();
    store.beat(Moment(1)).await.unwrap();
}

#[tokio::test]
async fn after_a_full_disk_the_store_goes_on_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let options = StoreOptions {
        bytes_max: Some(400_000),
        ..StoreOptions::default()
    };
    let store = Store::open(folder.path(), options).await.unwrap();
    // A game that is being brought in and does not fit; when it goes again, there is room.
    let arriving = |game: GameId| {
        let mut first = found_batch(&game);
        first.arrival = Some(Arrival { secret: None });
        first
    };
    let big = arriving(reef());
    let (mut head, mut state) = (big.head, folded(&big));
    store.append(&[big]).await.unwrap();
    let full = loop {
        let acts = (0..50).map(|number| plays("say", number)).collect();
        let (batch, grown) = grown_batch(&reef(), state, head, acts, "k");
        (head, state) = (batch.head, grown);
        if let Err(error) = store.append(&[batch]).await {
            break error;
        }
    };
    assert_eq!(full, StoreError::Full);
    store
        .beat(Moment(1))
        .await
        .expect("what needs no room is written");
    store.discard(&reef()).await.expect("room can be made");
    store
        .append(&[arriving("moor".parse().unwrap())])
        .await
        .expect("and used");
    store.check().await.unwrap();
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, 3).await.unwrap();
    let moor: GameId = "moor".parse().unwrap();
    for polls in 0..6 {
        let batches = [found_batch(&moor)];
        let mut append = Box::pin(store.append(&batches));
        let mut left = polls;
        let dropped = std::future::poll_fn(|context| {
            left -= 1;
            match append.as_mut().poll(context) {
                Poll::Ready(_) => Poll::Ready(false),
                Poll::Pending if left <= 0 => Poll::Ready(true),
                Poll::Pending => Poll::Pending,
            }
        });
        let dropped = dropped.await;
        drop(append);
        if !dropped {
            break;
        }
        store.beat(Moment(polls)).await.unwrap();
        assert_eq!(
            store.last_beat().await,
            Ok(Some(Moment(polls))),
            "after {polls} polls"
        );
    }
    store.close().await;
    open(folder.path()).await.unwrap().check().await.unwrap();
}

#[tokio::test]
async fn a_missing_or_foreign_secret_is_refused_where_games_are() {
    let folder = filled(2).await;
    let path = folder.path().join("secret");
    let own = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let missing = error(open(folder.path()).await);
    assert!(matches!(missing, StoreError::NoSecret { .. }), "{missing}");
    assert!(!path.exists(), "none is made silently");
    fs::write(&path, [5; 32]).unwrap();
    let foreign = error(open(folder.path()).await);
    assert!(
        matches!(foreign, StoreError::OtherSecret { .. }),
        "{foreign}"
    );
    let reader = Store::open_read_only(folder.path()).await.unwrap();
    assert!(
        reader.secret().is_none(),
        "nothing is judged under a foreign secret"
    );
    fs::write(&path, &own).unwrap();
    open(folder.path()).await.unwrap().close().await;
    // Where it is lost for good there is a way on.
    fs::remove_file(&path).unwrap();
    let options = StoreOptions {
        takes_new_secret: true,
        ..StoreOptions::default()
    };
    Store::open(folder.path(), options)
        .await
        .unwrap()
        .close()
        .await;
    assert_ne!(fs::read(&path).unwrap(), own);
    open(folder.path()).await.unwrap();
}

#[tokio::test]
async fn without_games_a_secret_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).await.unwrap().close().await;
    fs::remove_file(folder.path().join("secret")).unwrap();
    open(folder.path()).await.unwrap();
}

/// The folder of a process that was killed: the file, and what was written ahead of it.
async fn killed(event_count: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, event_count).await.unwrap();
    let left = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("lock") {
            fs::copy(&path, left.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    left
}

#[tokio::test]
async fn what_was_written_ahead_and_is_gone_is_missed() {
    let folder = killed(5).await;
    fs::remove_file(folder.path().join("quorate.db-wal")).unwrap();
    fs::remove_file(folder.path().join("quorate.db-shm")).unwrap();
    let gone = |opened| match error(opened) {
        StoreError::Lost { event_count, .. } => event_count,
        other => panic!("{other}"),
    };
    assert_eq!(gone(Store::open_read_only(folder.path()).await), 5);
    assert_eq!(gone(open(folder.path()).await), 5);
    // As the refusal says.
    fs::remove_file(folder.path().join("count")).unwrap();
    open(folder.path()).await.unwrap();
}

#[tokio::test]
async fn what_was_written_ahead_and_is_damaged_is_missed() {
    let folder = killed(60).await;
    let path = folder.path().join("quorate.db-wal");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let lost = error(open(folder.path()).await);
    assert!(
        matches!(
            lost,
            StoreError::Lost {
                event_count: 1..60,
                ..
            }
        ),
        "{lost}"
    );
}

#[tokio::test]
async fn a_torn_page_that_was_never_acknowledged_is_no_loss() {
    let folder = killed(5).await;
    let path = folder.path().join("quorate.db-wal");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&[0xA5; 3_000]).unwrap();
    let store = open(folder.path()).await.unwrap();
    assert_eq!(
        store.events(&reef(), EventSeq(1), 9).await.unwrap().len(),
        5
    );
}

#[tokio::test]
async fn a_settled_store_is_its_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, 5).await.unwrap();
    let ahead =
        || fs::metadata(folder.path().join("quorate.db-wal")).map_or(0, |ahead| ahead.len());
    assert!(ahead() > 0);
    store.settle().await.unwrap();
    assert_eq!(ahead(), 0);
}

#[tokio::test]
async fn a_file_of_something_else_is_left_alone() {
    let page = vec![b'x'; 4_096];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quorate.db");
    fs::write(&path, &page).unwrap();
    let foreign = error(open(folder.path()).await);
    assert!(matches!(foreign, StoreError::Foreign { .. }), "{foreign}");
    let read = error(Store::open_read_only(folder.path()).await);
    assert!(matches!(read, StoreError::Foreign { .. }), "{read}");
    assert_eq!(fs::read(&path).unwrap(), page);
}

#[tokio::test]
async fn somebody_elses_sqlite_file_is_left_alone() {
    let folder = filled(2).await;
    let path = folder.path().join("quorate.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[68..72].copy_from_slice(&[0, 0, 0, 1]);
    fs::write(&path, bytes).unwrap();
    let foreign = error(open(folder.path()).await);
    assert!(matches!(foreign, StoreError::Foreign { .. }), "{foreign}");
}

#[tokio::test]
async fn a_file_that_was_cut_off_is_named_as_damaged() {
    for share in [0, 50, 60, 99] {
        let folder = filled(400).await;
        let path = folder.path().join("quorate.db");
        let byte_count = fs::metadata(&path).unwrap().len();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(byte_count * share / 100).unwrap();
        let damaged = error(open(folder.path()).await);
        assert!(
            matches!(damaged, StoreError::Damaged { .. }),
            "{share}: {damaged}"
        );
        let read = error(Store::open_read_only(folder.path()).await);
        assert!(
            matches!(read, StoreError::Damaged { .. }),
            "{share}: {read}"
        );
    }
}

#[tokio::test]
async fn damage_inside_the_file_is_found_by_looking_through_it() {
    let folder = filled(400).await;
    let path = folder.path().join("quorate.db");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 4_096].fill(0xA5);
    fs::write(&path, bytes).unwrap();
    let store = open(folder.path()).await.unwrap();
    let damaged = store.check().await;
    assert!(matches!(damaged, Err(StoreError::Damaged { .. })));
}

#[tokio::test]
async fn a_file_of_a_later_release_is_named_as_such() {
    let folder = filled(2).await;
    let path = folder.path().join("quorate.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', 1, x'00', 0)",
    )
    .execute(&pool)
    .await
    .unwrap();
    pool.close().await;
    let later = error(open(folder.path()).await);
    assert!(matches!(later, StoreError::Later { .. }), "{later}");
    let read = error(Store::open_read_only(folder.path()).await);
    assert!(matches!(read, StoreError::Later { .. }), "{read}");
}

#[tokio::test]
async fn a_secret_of_the_wrong_length_is_named_and_not_replaced() {
    let folder = filled(1).await;
    let path = folder.path().join("secret");
    fs::write(&path, b"short").unwrap();
    let damaged = error(open(folder.path()).await);
    assert!(matches!(damaged, StoreError::Damaged { .. }), "{damaged}");
    assert_eq!(fs::read(&path).unwrap(), b"short");
}

#[tokio::test]
async fn a_half_made_file_of_a_start_that_was_interrupted_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut unborn = fs::File::create(folder.path().join("quorate.db.new")).unwrap();
    unborn.write_all(b"half").unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, 2).await.unwrap();
}

#[tokio::test]
async fn a_backup_is_a_folder_that_opens_with_the_same_games_and_secret() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, 5).await.unwrap();
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("monday");
    store.back_up(&copy).await.unwrap();
    let restored = open(&copy).await.unwrap();
    assert_eq!(restored.games().await, store.games().await);
    let of_reef = |store: &Store| store.secret().unwrap().of_game(&reef());
    assert_eq!(of_reef(&restored), of_reef(&store));
    let twice = store.back_up(&copy).await;
    assert!(twice.is_err(), "a backup is not written over another");
    let left: Vec<_> = fs::read_dir(copies.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing unfinished stays: {left:?}");
}

#[tokio::test]
async fn a_backup_as_one_file_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, 5).await.unwrap();
    let copies = tempfile::tempdir().unwrap();
    let copy = copies.path().join("monday.tar");
    store.back_up_to_file(&copy).await.unwrap();
    let back = tempfile::tempdir().unwrap();
    assert!(unpack(&copy, back.path()).unwrap(), "it has digests");
    let restored = open(back.path()).await.unwrap();
    assert_eq!(restored.games().await, store.games().await);
    assert_eq!(
        restored.secret().unwrap().mark(),
        store.secret().unwrap().mark()
    );
    restored.check().await.unwrap();

    // Cut off, or something else: refused, and nothing of it opens.
    let bytes = fs::read(&copy).unwrap();
    for (name, part) in [
        ("cut.tar", &bytes[..bytes.len() / 2]),
        ("other.tar", b"hello".as_slice()),
    ] {
        let path = copies.path().join(name);
        fs::write(&path, part).unwrap();
        let into = tempfile::tempdir().unwrap();
        let opened = match unpack(&path, into.path()) {
            Ok(_) => open(into.path()).await.map(drop),
            Err(error) => Err(error),
        };
        assert!(opened.is_err(), "{name}");
    }
}

#[tokio::test]
async fn forgotten_words_are_gone_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await.unwrap();
    grow(&store, 40).await.unwrap();
    let open_part = store.events(&reef(), EventSeq(8), 1).await.unwrap();
    let mut event = quorate_kernel::record::decode(&open_part[0]).unwrap();
    let mut digests = Vec::new();
    event.each_seal(&mut |seal| digests.push(seal.digest()));
    let there = |text: &[u8]| {
        ["quorate.db", "quorate.db-wal"].iter().any(|name| {
            let bytes = fs::read(folder.path().join(name)).unwrap_or_default();
            bytes.windows(text.len()).any(|window| window == text)
        })
    };
    assert!(there(b"said 7"));
    // The index of words has them too.
    let point = IndexPoint {
        seq: EventSeq(8),
        form: 1,
        terms: Digest::of(b"terms"),
    };
    let text = |text: &str, seals: &[Digest]| SearchText {
        category: Name::default(),
        by: None,
        at: Moment(1),
        title: String::new(),
        text: text.to_owned(),
        seals: seals.to_vec(),
    };
    let texts = [
        (
            SearchKey::Event(EventSeq(8)),
            Some(text("quinceword", &digests[..1])),
        ),
        (SearchKey::Event(EventSeq(9)), Some(text("medlarword", &[]))),
    ];
    let taken = store.take_into_index(&reef(), None, point, &texts).await;
    assert!(taken.unwrap());
    assert!(there(b"quinceword") && there(b"medlarword"));
    assert_eq!(store.forget(&digests[..1]).await, Ok(1));
    assert!(!there(b"said 7"));
    assert!(!there(b"quinceword"));
    assert!(there(b"said 8") && there(b"medlarword"));
}

/// A folder that this user may read and not write. Root may write anywhere, so there the test goes on as another user,
/// in a process of its own.
#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named_and_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    const SWITCH: &str = "QUORATE_TEST_READ_ONLY_FOLDER";
    if let Some(folder) = std::env::var_os(SWITCH) {
        return read_only_folder(Path::new(&folder)).await;
    }
    let folder = filled(3).await;
    let set_mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    for entry in fs::read_dir(folder.path()).unwrap() {
        set_mode(&entry.unwrap().path(), 0o444);
    }
    set_mode(folder.path(), 0o555);
    // The test's own file may lie where the other user cannot go.
    let own = tempfile::Builder::new().tempdir().unwrap();
    set_mode(own.path(), 0o755);
    let copy = own.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    set_mode(&copy, 0o755);
    let mut other = Command::new(&copy);
    other.args([
        "--exact",
        "a_folder_that_cannot_be_written_is_named_and_can_be_read",
    ]);
    other.env(SWITCH, folder.path());
    let is_root = fs::metadata("/proc/self").is_ok_and(|me| {
        use std::os::unix::fs::MetadataExt;
        me.uid() == 0
    });
    if is_root {
        other.uid(65_534).gid(65_534);
    }
    let output = other.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[cfg(unix)]
async fn read_only_folder(folder: &Path) {
    let refused = error(open(folder).await);
    assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused}");
    let store = Store::open_read_only(folder).await.unwrap();
    assert_eq!(
        store.events(&reef(), EventSeq(1), 9).await.unwrap().len(),
        3
    );
    let nowhere = error(open(&folder.join("below")).await);
    assert!(matches!(nowhere, StoreError::ReadOnly { .. }), "{nowhere}");
}

#[tokio::test]
async fn a_folder_without_a_store_is_named_when_it_is_opened_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let missing = error(Store::open_read_only(folder.path()).await);
    assert!(missing.to_string().contains("quorate.db"), "{missing}");
}
