//! A folder or a database.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use quorate_engine::rulebook::EDITION;
use quorate_notices::outbox::Outbox;
use quorate_runtime::ports::{
    Accounts, Archives, Drafts, Journal, Moderation, Safety, Seals, SearchIndex, ServerSecret,
    StoreError, SystemClock, TimeSource as _, Uploads, Whole,
};
use quorate_store::{Store, StoreOptions};
use quorate_store_postgres::{NodeOptions, PostgresStore};

/// Where games and accounts are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DataPlace {
    /// A folder, which one server owns.
    Folder(PathBuf),
    /// A PostgreSQL database, which several share; its address.
    Postgres(String),
}

impl FromStr for DataPlace {
    type Err = String;

    fn from_str(address: &str) -> Result<Self, String> {
        if let Some(folder) = address.strip_prefix("sqlite:") {
            return Ok(Self::Folder(folder.into()));
        }
        if address.starts_with("postgres://") || address.starts_with("postgresql://") {
            return Ok(Self::Postgres(address.to_owned()));
        }
        Err("it begins with postgres:// or sqlite:".to_owned())
    }
}

/// All that is kept of a site.
pub(crate) trait SiteStore:
    Journal
    + Archives
    + Seals
    + SearchIndex
    + Accounts
    + Safety
    + Moderation
    + Drafts
    + Uploads
    + Outbox
    + Whole
{
    /// The server's secret; none where this user may not know it.
    fn secret(&self) -> Option<ServerSecret>;
}

impl SiteStore for Store {
    fn secret(&self) -> Option<ServerSecret> {
        Store::secret(self)
    }
}

impl SiteStore for PostgresStore {
    fn secret(&self) -> Option<ServerSecret> {
        Some(PostgresStore::secret(self))
    }
}

/// A place that is open.
pub(super) struct OpenedPlace {
    /// What is kept there.
    pub(super) store: Arc<dyn SiteStore>,
    /// The same, where it is a folder.
    pub(super) file: Option<Arc<Store>>,
    /// The node that this process is, where it is a database.
    pub(super) node: Option<Arc<PostgresStore>>,
}

impl OpenedPlace {
    fn folder(store: Store) -> Self {
        let file = Arc::new(store);
        Self {
            store: file.clone(),
            file: Some(file),
            node: None,
        }
    }
}

/// How often a folder is asked for at most that another process holds, and how long it is waited in between. A process that was
/// killed may leave a child behind that holds what its parent held, until it has become a program of its own.
const TAKEN_MAX: u32 = 40;
const TAKEN_EVERY: Duration = Duration::from_millis(50);

/// Opens a folder to read and write.
pub(super) async fn own_folder(folder: &Path, options: StoreOptions) -> Result<OpenedPlace> {
    let mut store = Store::open(folder, options).await;
    for _ in 0..TAKEN_MAX {
        if !matches!(store, Err(StoreError::Taken { .. })) {
            break;
        }
        tokio::time::sleep(TAKEN_EVERY).await;
        store = Store::open(folder, options).await;
    }
    let store =
        store.with_context(|| format!("cannot use the data folder {}", folder.display()))?;
    Ok(OpenedPlace::folder(store))
}

/// What a command that serves nobody is among the nodes.
pub(super) fn command_node() -> NodeOptions {
    node_options(
        format!("command-{}-{}", std::process::id(), SystemClock.now().0),
        String::new(),
    )
}

/// A node of this release.
pub(crate) fn node_options(name: String, address: String) -> NodeOptions {
    NodeOptions {
        name,
        address,
        edition: EDITION,
        release: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Opens a place to read and write. `secret` is the folder of the secret that goes with a database.
pub(super) async fn own(
    place: &DataPlace,
    secret: &Path,
    node: NodeOptions,
) -> Result<OpenedPlace> {
    match place {
        DataPlace::Folder(folder) => own_folder(folder, StoreOptions::default()).await,
        DataPlace::Postgres(address) => {
            let secret = quorate_store::secret_in(secret)
                .with_context(|| format!("cannot use the data folder {}", secret.display()))?;
            let store = PostgresStore::open(address, secret, node).await;
            let store = Arc::new(store.context("cannot use the database")?);
            Ok(OpenedPlace {
                store: store.clone(),
                file: None,
                node: Some(store),
            })
        }
    }
}

/// Opens a place to read, which could not be opened to write for a reason, if one is given.
pub(super) async fn look(
    place: &DataPlace,
    secret: &Path,
    why: Option<StoreError>,
) -> Result<OpenedPlace> {
    match place {
        DataPlace::Folder(folder) => {
            let store = Store::open_read_only(folder).await;
            let store = store
                .with_context(|| format!("cannot read the data folder {}", folder.display()))?;
            Ok(OpenedPlace::folder(match why {
                Some(why) => store.read_only_because(why),
                None => store,
            }))
        }
        DataPlace::Postgres(_) => own(place, secret, command_node()).await,
    }
}
