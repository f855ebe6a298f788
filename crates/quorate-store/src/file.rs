//! Opening the SQLite file: is it ours, is it whole, is it of this release?

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use quorate_runtime::ports::StoreError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};

use crate::error::{Explain, of_file, one};
use crate::folder::Folder;
use crate::migrations::migrator;

/// The steps by which a file comes to the form of this release.
static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(migrator);

/// What the first migration sets as the file's application id: "QUOR".
const APPLICATION_ID: u32 = 0x5155_4F52;

/// How every SQLite file begins.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// How long the file's header is.
const HEADER_BYTES: usize = 100;

/// How many connections read.
const READERS: u32 = 4;

/// How many pages may be written ahead before they are put into the file; 4 KiB each.
const PAGES_AHEAD: &str = "4000";

/// How a store is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreOptions {
    /// The most room that the file may take, in bytes; what does not fit is refused as on a full disk.
    pub bytes_max: Option<u64>,
    /// Whether the secret that is there is taken although the games of the store were played under another, and one is made
    /// where there is none.
    pub takes_new_secret: bool,
}

/// Opens the file to write, making it if it is not there.
pub(crate) async fn open_to_write(
    folder: &Folder,
    options: StoreOptions,
) -> Result<SqliteConnection, StoreError> {
    let path = folder.file();
    if !path.try_exists().map_err(|e| of_file(&e, &path))? {
        make(folder).await?;
    }
    check_header(&path)?;
    let mut writer = to_write(&path).connect().await.explain()?;
    // What the last owner left is put into the file first, so that its length can be believed.
    settle(&mut writer).await?;
    check_length(&path)?;
    migrate(&mut writer, &path).await?;
    if let Some(bytes_max) = options.bytes_max {
        limit(&mut writer, bytes_max).await?;
    }
    Ok(writer)
}

/// Makes the file beside its place and renames it when it is whole, so that one in its place is never half-made.
async fn make(folder: &Folder) -> Result<(), StoreError> {
    let unborn = folder.unborn_file();
    for ending in ["", "-wal", "-shm"] {
        let mut left_over = unborn.clone().into_os_string();
        left_over.push(ending);
        match fs::remove_file(&left_over) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(of_file(&e, &unborn));
            }
            _ => {}
        }
    }
    let mut file = to_write(&unborn)
        .create_if_missing(true)
        .connect()
        .await
        .explain()?;
    migrate(&mut file, &unborn).await?;
    // What would stay ahead of it does not come along; that it does, closing doesn't tell.
    settle_whole(&mut file).await?;
    file.close().await.explain()?;
    let path = folder.file();
    fs::rename(&unborn, &path).map_err(|e| of_file(&e, &path))?;
    folder.sync()
}

/// Takes the next lease.
pub(crate) async fn next_lease(writer: &mut SqliteConnection) -> Result<u64, StoreError> {
    let leases = sqlx::query_scalar("UPDATE server SET lease = lease + 1 RETURNING lease");
    let lease: i64 = one(leases.fetch_all(writer).await).explain()?;
    Ok(lease.unsigned_abs())
}

/// The connections that read beside the one that writes.
pub(crate) async fn readers(folder: &Folder) -> Result<SqlitePool, StoreError> {
    pool(to_read(&folder.file())).await.explain()
}

/// Opens the file to read, also where nothing can be written beside it.
pub(crate) async fn open_to_read(folder: &Folder) -> Result<SqlitePool, StoreError> {
    let path = folder.file();
    check_header(&path)?;
    let ahead = fs::metadata(folder.written_ahead()).map_or(0, |ahead| ahead.len());
    if ahead == 0 {
        check_length(&path)?;
    }
    let probe = async |pool: &SqlitePool| {
        let newest = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations");
        newest.fetch_one(pool).await.explain()
    };
    let mut pool = self::pool(to_read(&path)).await.explain();
    let mut newest = match &pool {
        Ok(pool) => probe(pool).await,
        Err(error) => Err(error.clone()),
    };
    if let Err(StoreError::ReadOnly { .. } | StoreError::Full | StoreError::Failed { .. }) = newest
        && ahead == 0
    {
        // SQLite keeps notes beside a file in WAL mode; where it cannot, nobody else is writing either.
        pool = self::pool(to_read(&path).immutable(true)).await.explain();
        newest = match &pool {
            Ok(pool) => probe(pool).await,
            Err(error) => Err(error.clone()),
        };
    }
    let (pool, newest): (_, i64) = (pool?, newest?);
    match newest.cmp(&version()) {
        std::cmp::Ordering::Equal => Ok(pool),
        std::cmp::Ordering::Greater => Err(later(&path)),
        std::cmp::Ordering::Less => Err(StoreError::ReadOnly {
            what: "a store of an earlier release, which has to be brought up to date,".into(),
        }),
    }
}

/// Puts what was written ahead into the file.
pub(crate) async fn settle(writer: &mut SqliteConnection) -> Result<(), StoreError> {
    let settled = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(writer);
    settled.await.explain().map(drop)
}

/// The same, held to it: nothing stays ahead, and each part of it was synced anew. Takes a while where somebody reads.
pub(crate) async fn settle_whole(writer: &mut SqliteConnection) -> Result<(), StoreError> {
    let settled = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(writer);
    let held_up: i64 = settled.await.explain()?;
    if held_up != 0 {
        return Err(StoreError::SyncFailed);
    }
    Ok(())
}

/// How many events there are.
pub(crate) async fn event_count<'c>(
    connection: impl sqlx::SqliteExecutor<'c>,
) -> Result<u64, StoreError> {
    let count: i64 = sqlx::query_scalar("SELECT coalesce(sum(head_seq), 0) FROM games")
        .fetch_one(connection)
        .await
        .explain()?;
    Ok(count.unsigned_abs())
}

/// Lets the writing connection go.
pub(crate) async fn close(writer: SqliteConnection) {
    if let Err(error) = writer.close().await {
        tracing::warn!(%error, "the store was not closed tidily; what it holds is safe");
    }
}

fn to_write(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", PAGES_AHEAD)
        // What is forgotten is overwritten, not only unlinked.
        .pragma("secure_delete", "on")
        .busy_timeout(Duration::from_secs(30))
        .thread_name(|_| "store-writer".to_owned())
        .disable_statement_logging()
}

fn to_read(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(Duration::from_secs(30))
        .row_buffer_size(1_024)
        .thread_name(|n| format!("store-reader-{n}"))
        .disable_statement_logging()
}

async fn pool(options: SqliteConnectOptions) -> Result<SqlitePool, sqlx::Error> {
    SqlitePoolOptions::new()
        .max_connections(READERS)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options)
        .await
}

async fn migrate(writer: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    match MIGRATIONS.run(&mut *writer).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(_) | MigrateError::VersionMismatch(_)) => Err(later(path)),
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
            Err(error).explain()
        }
        Err(error) => Err(StoreError::Failed {
            cause: error.to_string().into(),
        }),
    }
}

/// The newest migration of this release.
fn version() -> i64 {
    MIGRATIONS.iter().map(|m| m.version).max().unwrap_or(0)
}

fn later(path: &Path) -> StoreError {
    StoreError::Later {
        what: path.display().to_string().into(),
    }
}

async fn limit(writer: &mut SqliteConnection, bytes_max: u64) -> Result<(), StoreError> {
    let page_bytes: i64 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&mut *writer)
        .await
        .explain()?;
    let pages_max = bytes_max / page_bytes.unsigned_abs().max(1);
    let pragma = format!("PRAGMA max_page_count = {pages_max}");
    sqlx::query(sqlx::AssertSqlSafe(pragma))
        .execute(writer)
        .await
        .explain()?;
    Ok(())
}

/// The header, if the file is a store of Quorate's.
fn check_header(path: &Path) -> Result<(), StoreError> {
    let header = header(path)?;
    let foreign = || StoreError::Foreign {
        what: path.display().to_string().into(),
    };
    match header {
        None => Err(StoreError::Damaged {
            what: format!("{} is shorter than a header", path.display()).into(),
        }),
        Some(header) if !header.starts_with(MAGIC) => Err(foreign()),
        Some(header) if number(&header, 68) != APPLICATION_ID => Err(foreign()),
        Some(_) => Ok(()),
    }
}

/// Whether the file is as long as its header says. To be asked when nothing is written ahead of it.
fn check_length(path: &Path) -> Result<(), StoreError> {
    let Some(header) = header(path)? else {
        return Ok(());
    };
    let is_length_valid = number(&header, 24) == number(&header, 92);
    // A page of 65536 bytes is written as 1, in two bytes.
    let page_bytes = match u64::from(number(&header, 16) >> 16) {
        1 => 65_536,
        bytes => bytes,
    };
    let wanted = u64::from(number(&header, 28)) * page_bytes;
    let there = fs::metadata(path).map_err(|e| of_file(&e, path))?.len();
    if is_length_valid && there < wanted {
        let what = format!("{} has {there} of {wanted} bytes", path.display());
        return Err(StoreError::Damaged { what: what.into() });
    }
    Ok(())
}

fn header(path: &Path) -> Result<Option<[u8; HEADER_BYTES]>, StoreError> {
    let mut header = [0; HEADER_BYTES];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut header));
    match read {
        Ok(()) => Ok(Some(header)),
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Err(StoreError::Failed {
            cause: format!("{} is not there", path.display()).into(),
        }),
        Err(e) => Err(of_file(&e, path)),
    }
}

/// Four bytes of the header as a number.
fn number(header: &[u8; HEADER_BYTES], at: usize) -> u32 {
    let bytes = header[at..at + 4]
        .try_into()
        .expect("four bytes are four bytes");
    u32::from_be_bytes(bytes)
}
