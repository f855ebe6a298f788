//! A process under load is killed again and again, over the SQLite file. This file is also the process that is killed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use libtest_mimic::{Arguments, Trial};
use quorate_runtime::ports::ServerSecret;
use quorate_runtime::testing::kills::{self, Failed, Killed};
use quorate_store::{Store, StoreOptions};
use tempfile::TempDir;

/// How often the process is killed.
const KILLS: u64 = 200;

/// A folder, and another for games that are carried over.
struct Folders {
    path: PathBuf,
    other: TempDir,
}

#[async_trait(?Send)]
impl Killed for Folders {
    type Store = Store;

    async fn open(&self) -> Arc<Store> {
        opened(&self.path).await
    }

    async fn another(&self) -> Arc<Store> {
        opened(self.other.path()).await
    }

    fn secret(&self, store: &Store) -> ServerSecret {
        store.secret().expect("an owner knows the secret")
    }

    async fn check(&self, store: &Store) {
        store.check().await.expect("the file is whole");
    }

    async fn close(&self, store: Arc<Store>) {
        if let Some(store) = Arc::into_inner(store) {
            store.close().await;
        }
    }
}

async fn opened(folder: &Path) -> Arc<Store> {
    let store = Store::open(folder, StoreOptions::default()).await;
    Arc::new(store.expect("the store opens after every kill"))
}

fn folders(path: &Path) -> Folders {
    Folders {
        path: path.to_owned(),
        other: tempfile::tempdir().expect("a temporary folder"),
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("be-killed") {
        let folder = arguments.next().map(PathBuf::from).expect("a folder");
        let run = arguments.next().expect("the number of the run");
        return runtime().block_on(kills::be_killed(&folders(&folder), &run));
    }
    let trial = Trial::test("what_was_acknowledged_outlives_two_hundred_kills", || {
        runtime().block_on(kill_and_look()).map_err(Into::into)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

async fn kill_and_look() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder
        .path()
        .to_str()
        .ok_or("a temporary folder has a plain name")?;
    kills::run(&folders(folder.path()), path, KILLS).await
}
