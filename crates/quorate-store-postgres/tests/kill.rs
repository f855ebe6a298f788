//! A process under load is killed again and again, over a database. This file is also the process that is killed.

use std::sync::Arc;

use async_trait::async_trait;
use libtest_mimic::{Arguments, Trial};
use quorate_runtime::ports::ServerSecret;
use quorate_runtime::testing::kills::{self, Failed, Killed};
use quorate_store_postgres::PostgresStore;
use quorate_store_postgres::testing::{PrivateServer, node};

/// How often the process is killed.
const KILLS: u64 = 60;

/// A database, and another for games that are carried over.
struct Databases {
    address: String,
    other: String,
}

#[async_trait(?Send)]
impl Killed for Databases {
    type Store = PostgresStore;

    async fn open(&self) -> Arc<PostgresStore> {
        opened(&self.address).await
    }

    async fn another(&self) -> Arc<PostgresStore> {
        opened(&self.other).await
    }

    fn secret(&self, store: &PostgresStore) -> ServerSecret {
        store.secret()
    }

    async fn check(&self, _: &PostgresStore) {}

    async fn close(&self, store: Arc<PostgresStore>) {
        store.close().await;
    }
}

/// Each process is the same node, so the leases of the one before end at once.
async fn opened(address: &str) -> Arc<PostgresStore> {
    let secret = ServerSecret::new([9; 32]);
    let store = PostgresStore::open(address, secret, node("killed")).await;
    Arc::new(store.expect("the store opens after every kill"))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("be-killed") {
        let address = arguments.next().expect("an address");
        let run = arguments.next().expect("the number of the run");
        let other = String::new();
        return runtime().block_on(kills::be_killed(&Databases { address, other }, &run));
    }
    let trial = Trial::test("what_was_acknowledged_outlives_sixty_kills", || {
        runtime().block_on(kill_and_look()).map_err(Into::into)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

async fn kill_and_look() -> Result<(), Failed> {
    let Some(server) = PrivateServer::start() else {
        return Ok(());
    };
    let databases = Databases {
        address: server.fresh("games"),
        other: server.fresh("elsewhere"),
    };
    kills::run(&databases, &databases.address, KILLS).await
}
