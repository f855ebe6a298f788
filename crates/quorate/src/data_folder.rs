//! A data folder and the games in it, as commands use them.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use quorate_engine::{Inputs, Judge, LawCache, lookup};
use quorate_kernel::command::Actor;
use quorate_kernel::event::Event;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId};
use quorate_runtime::fold;
use quorate_runtime::in_process::InProcess;
use quorate_runtime::judge::Secret;
use quorate_runtime::ports::{SystemClock, TimeSource};
use quorate_runtime::{Games, GamesSettings, Ports};
use quorate_store::{Store, StoreOptions};
use tokio::runtime::Runtime;

/// Which data folder.
#[derive(clap::Args, Clone)]
pub(crate) struct DataArguments {
    /// The folder that holds games and accounts.
    #[arg(long, value_name = "DIR", default_value = "./data")]
    pub data: PathBuf,
}

/// A data folder that is open.
pub(crate) struct DataFolder {
    runtime: Runtime,
    /// What is kept there.
    pub store: Arc<Store>,
    /// Versions of the law that were compiled.
    pub laws: Arc<LawCache>,
}

/// A game as it is now, to be asked and not to be changed: what fell due since its last event has happened in it.
pub(crate) struct CurrentGame {
    /// Who answers.
    pub judge: Judge,
    /// The moment of asking.
    pub now: Moment,
}

/// What time it is.
pub(crate) fn now() -> Moment {
    SystemClock.now()
}

impl DataFolder {
    /// Opens a data folder to read and write, making it where it is not there yet.
    pub(crate) fn own(folder: &Path) -> Result<Self> {
        let runtime = runtime()?;
        let store = runtime.block_on(Store::open(folder, StoreOptions::default()));
        let store =
            store.with_context(|| format!("cannot use the data folder {}", folder.display()))?;
        Ok(Self {
            runtime,
            store: Arc::new(store),
            laws: Arc::default(),
        })
    }

    /// Opens a data folder to read, also while a server uses it.
    pub(crate) fn look(folder: &Path) -> Result<Self> {
        let runtime = runtime()?;
        let store = runtime.block_on(Store::open_read_only(folder));
        let store =
            store.with_context(|| format!("cannot read the data folder {}", folder.display()))?;
        Ok(Self {
            runtime,
            store: Arc::new(store),
            laws: Arc::default(),
        })
    }

    /// Waits for something.
    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        self.runtime.block_on(what)
    }

    /// Where waiting is done, for threads of others.
    pub(crate) fn handle(&self) -> tokio::runtime::Handle {
        self.runtime.handle().clone()
    }

    /// The host of the games. To be closed before the program ends.
    pub(crate) fn games(&self) -> Result<Games> {
        self.games_at(Arc::new(SystemClock))
    }

    /// The host of the games under a clock of one's own.
    pub(crate) fn games_at(&self, clock: Arc<dyn TimeSource>) -> Result<Games> {
        let secret = self.secret()?;
        let ports = Ports {
            journal: self.store.clone(),
            seals: self.store.clone(),
            judges: Arc::new(InProcess::new(&self.laws)),
            clock,
            secret,
        };
        Ok(self.wait(Games::start(ports, GamesSettings::default()))?)
    }

    /// The server's own secret.
    pub(crate) fn secret(&self) -> Result<quorate_runtime::ports::ServerSecret> {
        self.store
            .secret()
            .ok_or_else(|| anyhow!("the server's secret cannot be read"))
    }

    /// The secret of a game; none where this user may not know it.
    pub(crate) fn secret_of(&self, game: &GameId) -> Result<Option<Secret>> {
        let row = self.wait(quorate_runtime::ports::Journal::game(&*self.store, game))?;
        let own = row.and_then(|row| row.secret);
        Ok(own.or_else(|| self.store.secret().map(|server| server.of_game(game))))
    }

    /// Events of a game; those that are not there are left out.
    pub(crate) fn events(&self, game: &GameId, wanted: &[EventSeq]) -> Result<Vec<Event>> {
        Ok(self.wait(fold::events_of(&*self.store, &*self.store, game, wanted))?)
    }

    /// A game as it is now.
    pub(crate) fn present(&self, game: &GameId) -> Result<CurrentGame> {
        let opened = self.wait(fold::open(&*self.store, &*self.store, game))?;
        let head = opened.row.head;
        let secret = self.secret_of(game)?;
        let mut judge = Judge::open(opened.state, head, &self.laws);
        let now = now().max(head.at);
        while let Some(command) = judge.due_command(now) {
            let inputs = Inputs {
                secret: secret.unwrap_or_default(),
                ..Inputs::default()
            };
            judge.judge(&command, &inputs);
        }
        Ok(CurrentGame { judge, now })
    }
}

fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start")
}

/// Whose command it is, as `--as` says: a player's name, or `operator`, or somebody new.
pub(crate) fn actor(state: &State, word: &str) -> Result<Actor> {
    match word {
        "operator" => Ok(Actor::Operator),
        _ => player(state, word).map(Actor::Player),
    }
}

/// A player by name or number.
pub(crate) fn player(state: &State, word: &str) -> Result<PlayerId> {
    lookup::player(state, word).with_context(|| {
        let names = state.people.values().map(|person| person.name.as_str());
        let names: Vec<_> = names.collect();
        format!(
            "nobody here is called {word}: there are {}",
            names.join(", ")
        )
    })
}

/// A key for a command that nobody else uses.
pub(crate) fn fresh_key() -> Name {
    format!("cli {} {}", now().0, std::process::id()).into()
}
