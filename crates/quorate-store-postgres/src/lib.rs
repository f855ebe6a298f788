//! Where games are kept: a PostgreSQL database that several nodes share.
//!
//! The tables are those of the SQLite file, and two more: the nodes, and who of them writes to which game. An append
//! names the epoch of its lease in its own transaction and locks the lease until it ends, so nobody can take a game
//! over in the middle of one. Which node is alive is decided by the clock of the database alone.

mod accounts;
mod address;
mod append;
mod archives;
mod buckets;
#[path = "../../quorate-store/src/convert.rs"]
mod convert;
mod database;
mod drafts;
mod error;
mod ids;
mod journal;
#[path = "../../quorate-store/src/migrations.rs"]
mod migrations;
#[path = "../../quorate-store/src/moderation.rs"]
mod moderation;
mod news;
mod nodes;
mod outbox;
mod own_node;
#[path = "../../quorate-store/src/passkeys.rs"]
mod passkeys;
mod row;
mod safety;
mod seals;
mod search;
#[cfg(feature = "testing")]
pub mod testing;
mod uploads;
mod whole;

use std::sync::{Arc, OnceLock};

use quorate_kernel::{EventSeq, GameId};
use quorate_runtime::known_seals::KnownSeals;
use quorate_runtime::old_events::OldEvents;
use quorate_runtime::ports::{News, Nodes, ServerSecret, StoreError};
use sqlx::migrate::MigrateError;
use tokio::sync::{Mutex, mpsc};
use tokio::task::AbortHandle;

use database::Database;
use ids::GameIds;
use migrations::migrator;
use own_node::NodeSelf;

pub use own_node::NodeOptions;

/// The form of the tables that this release knows. Later ones may be used as long as they say so.
const FORM: i64 = 1;

/// The store of a site, as one of its nodes uses it.
pub struct PostgresStore {
    database: Arc<Database>,
    secret: ServerSecret,
    node: NodeSelf,
    known_seals: KnownSeals,
    /// Where old events lie, if this process was told.
    old_events: OnceLock<OldEvents>,
    ids: GameIds,
    /// Where word goes that a game has moved.
    grown: mpsc::UnboundedSender<(GameId, EventSeq)>,
    news: Mutex<mpsc::UnboundedReceiver<News>>,
    running: Vec<AbortHandle>,
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.running.iter().for_each(AbortHandle::abort);
    }
}

impl PostgresStore {
    /// Connects to the database, brings its tables up to date and joins the nodes. All nodes have the same secret.
    ///
    /// To be called in a tokio runtime with a timer; the tasks that listen run there.
    pub async fn open(
        address: &str,
        secret: ServerSecret,
        node: NodeOptions,
    ) -> Result<Self, StoreError> {
        let hosts = address::hosts(address, &node.name)?;
        let database = Arc::new(Database::connect(hosts, address::shown(address)).await?);
        migrate(&database).await?;
        check_durable(&database).await?;
        check_secret(&database, &secret).await?;
        let node = NodeSelf::join(&database, node).await?;
        let (grown, to_tell) = mpsc::unbounded_channel();
        let (heard, news) = mpsc::unbounded_channel();
        let running = [
            tokio::spawn(news::tell(Arc::clone(&database), to_tell)).abort_handle(),
            tokio::spawn(news::listen(Arc::clone(&database), node.name(), heard)).abort_handle(),
        ];
        Ok(Self {
            database,
            secret,
            node,
            known_seals: KnownSeals::default(),
            old_events: OnceLock::new(),
            ids: GameIds::default(),
            grown,
            news: Mutex::new(news),
            running: running.into(),
        })
    }

    /// The secret of the site.
    pub fn secret(&self) -> ServerSecret {
        self.secret.clone()
    }

    /// Leaves the nodes and lets all connections go.
    pub async fn close(&self) {
        if let Err(error) = self.leave().await {
            tracing::warn!(%error, "the games of this node are free when its leases end");
        }
        self.database.close().await;
    }

    /// Tells the other nodes that a game has moved. They look by themselves too, so nothing depends on it.
    pub(crate) fn tell(&self, game: &GameId, seq: EventSeq) {
        drop(self.grown.send((game.clone(), seq)));
    }
}

async fn migrate(database: &Database) -> Result<(), StoreError> {
    let mut migrator = migrator();
    // A later release may have added to the tables; whether this one can live with that, they say themselves.
    migrator.set_ignore_missing(true);
    let later = || StoreError::Later {
        what: database.shown(),
    };
    match migrator.run(&database.pool()).await {
        Ok(()) => {}
        Err(MigrateError::VersionMismatch(_)) => return Err(later()),
        Err(error) => {
            return Err(StoreError::Failed {
                cause: error.to_string().into(),
            });
        }
    }
    let needs: i64 = database
        .ask(|pool| async move {
            sqlx::query_scalar("SELECT needs FROM server")
                .fetch_one(&pool)
                .await
        })
        .await?;
    if needs > FORM { Err(later()) } else { Ok(()) }
}

/// A database that acknowledges what is not on disk keeps no promise of ours.
async fn check_durable(database: &Database) -> Result<(), StoreError> {
    let (fsync, commit): (String, String) = database
        .ask(|pool| async move {
            sqlx::query_as("SELECT current_setting('fsync'), current_setting('synchronous_commit')")
                .fetch_one(&pool)
                .await
        })
        .await?;
    if fsync == "on" && commit != "off" {
        return Ok(());
    }
    let cause = format!(
        "{} acknowledges what is not on disk (fsync {fsync}, synchronous_commit {commit}): set both to on",
        database.shown()
    );
    Err(StoreError::Failed {
        cause: cause.into(),
    })
}

/// The first node leaves a mark of its secret; others must have the same, for dice and salts follow from it.
async fn check_secret(database: &Database, secret: &ServerSecret) -> Result<(), StoreError> {
    let ours = secret.mark().0.to_vec();
    let mark = &ours;
    let theirs: Vec<u8> = database
        .ask(|pool| async move {
            sqlx::query_scalar(
                "UPDATE server SET secret_mark = coalesce(secret_mark, $1) RETURNING secret_mark",
            )
            .bind(mark)
            .fetch_one(&pool)
            .await
        })
        .await?;
    if theirs == ours {
        return Ok(());
    }
    let folder = format!("the data folder that goes with {}", database.shown());
    Err(StoreError::OtherSecret {
        folder: folder.into(),
    })
}
