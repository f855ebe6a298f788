//! This node: what it says of itself, and how surely it holds its leases.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_runtime::ports::{LEASE_MS, StoreError};
use tokio::time::Instant;

use crate::database::Database;

/// How much earlier than the database a node counts its own leases as ended, for no two clocks run alike.
const MARGIN: Duration = Duration::from_millis(250);

/// Forgets nodes that are gone for a day, and commands that are gone for a minute.
const FORGET: &str = "DELETE FROM nodes WHERE alive_until < clock_timestamp() - \
    CASE WHEN address = '' THEN interval '1 minute' ELSE interval '1 day' END";

/// What a node says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeOptions {
    /// Its name, which no other has.
    pub name: String,
    /// Where the others reach it, a host and a port; empty where it takes no commands from others.
    pub address: String,
    /// The newest edition of the law's language that it knows.
    pub edition: u16,
    /// The release it runs.
    pub release: String,
}

/// This node.
pub(crate) struct NodeSelf {
    pub(crate) name: Arc<str>,
    pub(crate) incarnation: i64,
    /// What it says of itself, for the case that its row is to be written again.
    pub(crate) options: NodeOptions,
    hold: Mutex<Hold>,
}

/// How surely this node holds its leases.
pub(crate) struct Hold {
    pub(crate) until: Instant,
    pub(crate) term: u64,
    pub(crate) is_draining: bool,
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a lease still holds is for a steady clock to say, and no event depends on it"
)]
pub(crate) fn steady_now() -> Instant {
    Instant::now()
}

pub(crate) fn held_from(asked_at: Instant) -> Instant {
    asked_at + Duration::from_millis(LEASE_MS) - MARGIN
}

impl NodeSelf {
    /// Joins the nodes, taking the place of any other process of that name.
    pub(crate) async fn join(
        database: &Database,
        options: NodeOptions,
    ) -> Result<Self, StoreError> {
        let asked_at = steady_now();
        let said = &options;
        let incarnation: i64 = database
            .ask(|pool| async move {
                sqlx::query(FORGET)
                    .execute(&pool)
                    .await?;
                sqlx::query_scalar(
                    "INSERT INTO nodes (name, incarnation, address, edition, release, alive_until, draining) \
                     VALUES ($1, nextval('incarnations'), $2, $3, $4, \
                     clock_timestamp() + $5 * interval '1 ms', false) \
                     ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation, \
                     address = excluded.address, edition = excluded.edition, \
                     release = excluded.release, alive_until = excluded.alive_until, draining = false \
                     RETURNING incarnation",
                )
                .bind(&said.name)
                .bind(&said.address)
                .bind(i32::from(said.edition))
                .bind(&said.release)
                .bind(LEASE_MS.cast_signed())
                .fetch_one(&pool)
                .await
            })
            .await?;
        Ok(Self {
            name: options.name.as_str().into(),
            incarnation,
            options,
            hold: Mutex::new(Hold {
                until: held_from(asked_at),
                term: 0,
                is_draining: false,
            }),
        })
    }

    pub(crate) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// Which process of that name it is.
    pub(crate) fn incarnation(&self) -> i64 {
        self.incarnation
    }

    pub(crate) fn hold(&self) -> MutexGuard<'_, Hold> {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn replaced(&self) -> StoreError {
        StoreError::NodeReplaced { node: self.name() }
    }
}
