//! The connections to the database, and finding it again when it has moved to another host.

use std::sync::Arc;
use std::time::Duration;

use quorate_runtime::ports::StoreError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::{Mutex, watch};

use crate::error::{Away, away, store_error};

/// How many connections a node holds beside the one on which it listens.
const CONNECTIONS_MAX: u32 = 10;

/// How long a connection may take to be made or lent.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// How long an answer may take before the database counts as gone.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// How long a database that went away is looked for before whoever waits is told.
pub(crate) const FIND_WITHIN: Duration = Duration::from_secs(15);

/// How long to wait between two looks at all hosts.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A database on one host or on several, of which one takes writes.
pub(crate) struct Database {
    hosts: Vec<PgConnectOptions>,
    /// How the address is shown.
    shown: Arc<str>,
    current: watch::Sender<Primary>,
    /// Held while somebody looks for the database.
    finding: Mutex<()>,
}

/// The host that takes writes, as far as this node knows.
#[derive(Clone)]
struct Primary {
    pool: PgPool,
    /// Which of the hosts.
    host: usize,
    /// How often the database was found anew.
    turn: u64,
    /// The timeline it is on, which rises with each promotion. An earlier one is an old primary that came back.
    timeline: i64,
}

/// Why something was not done.
pub(crate) enum DatabaseFailure {
    /// The database said no.
    Said(sqlx::Error),
    /// The database went away; whether it was done is not known.
    Gone(Away),
}

impl Database {
    /// Connects to the host that takes writes.
    pub(crate) async fn connect(
        hosts: Vec<PgConnectOptions>,
        shown: String,
    ) -> Result<Self, StoreError> {
        let mut why = String::from("it has no host");
        let found = primary_of(&hosts, 0, &mut why).await;
        let Some((host, timeline)) = found else {
            let cause = format!("no host of {shown} takes writes ({why})");
            return Err(StoreError::Failed {
                cause: cause.into(),
            });
        };
        let pool = pool(hosts[host].clone());
        Ok(Self {
            hosts,
            shown: shown.into(),
            current: watch::Sender::new(Primary {
                pool,
                host,
                turn: 0,
                timeline,
            }),
            finding: Mutex::new(()),
        })
    }

    /// The address without its password.
    pub(crate) fn shown(&self) -> Arc<str> {
        Arc::clone(&self.shown)
    }

    /// The connections that are used now.
    pub(crate) fn pool(&self) -> PgPool {
        self.current.borrow().pool.clone()
    }

    /// How often the database was found anew.
    pub(crate) fn turn(&self) -> u64 {
        self.current.borrow().turn
    }

    /// Ends when the database was found anew after that turn.
    pub(crate) async fn found_after(&self, turn: u64) {
        let mut current = self.current.subscribe();
        // The sender lives as long as this.
        drop(current.wait_for(|primary| primary.turn > turn).await);
    }

    /// Does something once, unless the database goes away meanwhile.
    pub(crate) async fn once<T, F>(
        &self,
        what: impl FnOnce(PgPool) -> F,
    ) -> Result<T, DatabaseFailure>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        let Primary { pool, turn, .. } = self.current.borrow().clone();
        let done = tokio::select! {
            done = tokio::time::timeout(ANSWER_WITHIN, what(pool)) => done,
            // What waits for a host that is no longer the one need not wait for its end.
            () = self.found_after(turn) => return Err(DatabaseFailure::Gone(Away::Silent)),
        };
        match done {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => match away(&error) {
                Some(how) => {
                    tracing::warn!(%error, "the database went away");
                    Err(DatabaseFailure::Gone(how))
                }
                None => Err(DatabaseFailure::Said(error)),
            },
            Err(_) => Err(DatabaseFailure::Gone(Away::Silent)),
        }
    }

    /// Does something that may be done twice, looking for the database where it went away.
    pub(crate) async fn ask<T, F>(&self, what: impl Fn(PgPool) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        let trying = async {
            loop {
                let turn = self.turn();
                match self.once(&what).await {
                    Ok(value) => return Ok(value),
                    Err(DatabaseFailure::Said(error)) => return Err(store_error(&error)),
                    Err(DatabaseFailure::Gone(how)) => self.find(turn, how).await,
                }
            }
        };
        let tried = tokio::time::timeout(FIND_WITHIN, trying).await;
        tried.unwrap_or_else(|_| Err(self.lost()))
    }

    /// Nobody answers.
    pub(crate) fn lost(&self) -> StoreError {
        let cause = format!("no host of {} takes writes", self.shown);
        StoreError::Failed {
            cause: cause.into(),
        }
    }

    /// Looks for the host that takes writes until there is one, unless somebody has found it since that turn. To be
    /// given up by dropping it.
    pub(crate) async fn find(&self, turn: u64, how: Away) {
        let _finding = self.finding.lock().await;
        let known = self.current.borrow().clone();
        if known.turn != turn {
            return;
        }
        loop {
            // Also before the first look, so that a server that says no at once is not asked in a loop.
            tokio::time::sleep(LOOK_EVERY).await;
            let mut why = String::new();
            let found = primary_of(&self.hosts, known.timeline, &mut why).await;
            if let Some((host, timeline)) = found {
                let is_same = (host, timeline) == (known.host, known.timeline);
                if is_same && how == Away::Silent {
                    // It has not moved, and those who still wait for it are not interrupted.
                    return;
                }
                let fresh = Primary {
                    pool: pool(self.hosts[host].clone()),
                    host,
                    turn: turn + 1,
                    timeline,
                };
                let old = self.current.send_replace(fresh);
                tokio::spawn(async move { old.pool.close().await });
                return;
            }
        }
    }

    /// Lets all connections go.
    pub(crate) async fn close(&self) {
        self.pool().close().await;
    }
}

/// Which host takes writes and is on the newest timeline, which is no older than `timeline`.
async fn primary_of(
    hosts: &[PgConnectOptions],
    timeline: i64,
    why: &mut String,
) -> Option<(usize, i64)> {
    let mut best: Option<(usize, i64)> = None;
    for (nth, host) in hosts.iter().enumerate() {
        match tokio::time::timeout(CONNECT_WITHIN, look_at(host)).await {
            Ok(Ok(Some(theirs))) if theirs >= timeline => {
                if best.as_ref().is_none_or(|(_, known)| *known < theirs) {
                    best = Some((nth, theirs));
                }
            }
            Ok(Ok(_)) => *why = format!("{} is a standby", host.get_host()),
            Ok(Err(error)) => *why = format!("{}: {error}", host.get_host()),
            Err(_) => *why = format!("{} does not answer", host.get_host()),
        }
    }
    best
}

/// The timeline of a host, if it takes writes.
async fn look_at(host: &PgConnectOptions) -> Result<Option<i64>, sqlx::Error> {
    let mut connection: PgConnection = host.clone().disable_statement_logging().connect().await?;
    let timeline: Option<i32> = sqlx::query_scalar(
        "SELECT CASE WHEN pg_is_in_recovery() THEN NULL \
         ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END",
    )
    .fetch_one(&mut connection)
    .await?;
    connection.close().await?;
    Ok(timeline.map(i64::from))
}

fn pool(options: PgConnectOptions) -> PgPool {
    PgPoolOptions::new()
        .max_connections(CONNECTIONS_MAX)
        .acquire_timeout(CONNECT_WITHIN)
        .test_before_acquire(false)
        .idle_timeout(Duration::from_mins(5))
        .max_lifetime(None)
        .connect_lazy_with(options.disable_statement_logging())
}
