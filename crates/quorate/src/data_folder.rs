//! Where games and accounts are kept, a data folder or a database, as commands use it.

mod copies;
mod place;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use quorate_engine::{Inputs, Judge, LawCache, lookup};
use quorate_kernel::command::Actor;
use quorate_kernel::event::Event;
use quorate_kernel::state::State;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId};
use quorate_runtime::fold;
use quorate_runtime::in_process::InProcess;
use quorate_runtime::judge::{Judges, Secret};
use quorate_runtime::ports::{
    AccountId, Backup, SecurityEntry, SecurityEvent, SteadyClock, StoreError, SystemClock,
    TimeSource,
};
use quorate_runtime::{Games, GamesSettings, Others, Ports};
use quorate_store::{Store, StoreOptions};
use quorate_store_postgres::{NodeOptions, PostgresStore};
use tokio::runtime::Runtime;

use crate::objects::{ObjectPlace, OpenObjects};
use crate::peers::PeerLinks;
use copies::DatabaseBackup;

pub(crate) use place::{DataPlace, SiteStore, node_options};

/// The variable that says where the database is, for its address may hold a password.
const DATABASE: &str = "QUORATE_DATABASE";

/// The variable that says where old files are.
const OBJECTS: &str = "QUORATE_OBJECTS";

/// Where games and accounts are.
#[derive(clap::Args, Clone)]
pub(crate) struct DataArguments {
    /// The folder that holds games and accounts; with --database the server's secret alone.
    #[arg(long, value_name = "DIR", default_value = "./data")]
    pub data: PathBuf,
    /// A database that several servers can share: `postgres://NAME:WORD@HOST,HOST/DATABASE`, or `sqlite:DIR` for a folder.
    /// The variable `QUORATE_DATABASE` says the same.
    #[arg(long, value_name = "ADDRESS")]
    pub database: Option<DataPlace>,
    /// Where uploaded pictures and the logs of games at rest lie instead: `s3://BUCKET/BEGINNING`, or a folder that all nodes share.
    /// The variable `QUORATE_OBJECTS` says the same.
    #[arg(long, value_name = "PLACE")]
    pub objects: Option<ObjectPlace>,
}

impl DataArguments {
    /// Where games and accounts are.
    pub(crate) fn place(&self) -> Result<DataPlace> {
        if let Some(place) = &self.database {
            return Ok(place.clone());
        }
        match std::env::var(DATABASE) {
            Ok(address) => Ok(address.parse().map_err(|error: String| anyhow!(error))?),
            Err(_) => Ok(DataPlace::Folder(self.data.clone())),
        }
    }
}

/// Files beside the store, where the command line or the variable names a place for them.
fn open_objects(named: Option<&ObjectPlace>) -> Result<Option<OpenObjects>> {
    let place = match (named, std::env::var(OBJECTS)) {
        (Some(place), _) => place.clone(),
        (None, Ok(address)) => address.parse().map_err(|error: String| anyhow!(error))?,
        (None, Err(_)) => return Ok(None),
    };
    OpenObjects::open(&place).map(Some)
}

/// How long the end of the program waits for threads that are still at work; what they do is nobody's business any more.
const THREADS_END_WITHIN: Duration = Duration::from_millis(500);

/// How long the end of the program waits until what was written ahead is in the store's file. What is not stays ahead of it.
const SETTLED_WITHIN: Duration = Duration::from_millis(400);

/// A data folder that is open.
pub(crate) struct DataFolder {
    runtime: WaitingPlace,
    /// What is kept there.
    pub store: Arc<dyn SiteStore>,
    /// The same, where it is a folder and no database.
    pub file: Option<Arc<Store>>,
    /// Where pictures and old events are, if not in the store.
    pub objects: Option<Arc<OpenObjects>>,
    /// The folder of the secret.
    secrets: PathBuf,
    /// This process among the nodes, where a database is shared.
    pub node: Option<Arc<PostgresStore>>,
    /// Versions of the law that were compiled.
    pub laws: Arc<LawCache>,
    /// How it was asked for, where it was to be written to and can only be read.
    pub wanted: Option<DataArguments>,
}

/// Where waiting is done. At its end it leaves threads behind that do not end, such as one in which rule code runs.
struct WaitingPlace(Option<Runtime>);

impl WaitingPlace {
    fn runtime(&self) -> &Runtime {
        self.0.as_ref().expect("it is taken when it is dropped")
    }
}

/// What was written ahead of the store's file is put into it, so that the file alone holds everything.
impl Drop for DataFolder {
    fn drop(&mut self) {
        let Some(file) = &self.file else {
            return;
        };
        let settling = async { tokio::time::timeout(SETTLED_WITHIN, file.settle()).await };
        if let Ok(Err(error)) = self.wait(settling) {
            tracing::warn!(%error, "the store was not closed tidily; what it holds is safe");
        }
    }
}

impl Drop for WaitingPlace {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_timeout(THREADS_END_WITHIN);
        }
    }
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
    /// Opens a data folder to read and write, making it where it is not there yet, or a database.
    pub(crate) fn own(arguments: &DataArguments) -> Result<Self> {
        Self::join(arguments, place::command_node())
    }

    /// Opens a data folder to read and write otherwise than usual.
    pub(crate) fn own_with(
        folder: &Path,
        options: StoreOptions,
        objects: Option<&ObjectPlace>,
    ) -> Result<Self> {
        let runtime = runtime()?;
        let opened = runtime
            .runtime()
            .block_on(place::own_folder(folder, options))?;
        Self::of(runtime, opened, folder, objects)
    }

    /// Opens a data folder to read and write, or to read alone where nobody may write there or nothing more fits; or a database.
    pub(crate) fn own_or_look(arguments: &DataArguments) -> Result<Self> {
        let error = match Self::own(arguments) {
            Err(error) => error,
            opened => return opened,
        };
        let Some(why @ (StoreError::ReadOnly { .. } | StoreError::Full)) = error.downcast_ref()
        else {
            return Err(error);
        };
        // Where there is nothing to read either, the first trouble is the one to be told.
        let Ok(mut read) = Self::look_because(arguments, Some(why.clone())) else {
            return Err(error);
        };
        read.wanted = Some(arguments.clone());
        tracing::error!(
            error = format!("{error:#}"),
            "games can be read, and not played"
        );
        Ok(read)
    }

    /// The same, as a node of that name and address where a database is shared.
    pub(crate) fn join(arguments: &DataArguments, node: NodeOptions) -> Result<Self> {
        let runtime = runtime()?;
        let place = arguments.place()?;
        let opened = place::own(&place, &arguments.data, node);
        let opened = runtime.runtime().block_on(opened)?;
        Self::of(runtime, opened, &arguments.data, arguments.objects.as_ref())
    }

    /// Opens a data folder to read, also while a server uses it, or a database.
    pub(crate) fn look(arguments: &DataArguments) -> Result<Self> {
        Self::look_because(arguments, None)
    }

    /// The same, where it could not be opened to write; whoever wants to write is told why.
    fn look_because(arguments: &DataArguments, why: Option<StoreError>) -> Result<Self> {
        let runtime = runtime()?;
        let place = arguments.place()?;
        let opened = place::look(&place, &arguments.data, why);
        let opened = runtime.runtime().block_on(opened)?;
        Self::of(runtime, opened, &arguments.data, arguments.objects.as_ref())
    }

    fn of(
        runtime: WaitingPlace,
        opened: place::OpenedPlace,
        secrets: &Path,
        objects: Option<&ObjectPlace>,
    ) -> Result<Self> {
        let place::OpenedPlace { store, file, node } = opened;
        let objects = open_objects(objects)?.map(Arc::new);
        if let Some(objects) = &objects {
            store.read_old_events_from(objects.clone());
        }
        Ok(Self {
            runtime,
            store,
            file,
            objects,
            secrets: secrets.to_owned(),
            node,
            laws: Arc::default(),
            wanted: None,
        })
    }

    /// What is kept in a folder.
    pub(crate) fn file(&self) -> Result<&Arc<Store>> {
        let file = self.file.as_ref();
        file.context("this is a database and no folder")
    }

    /// Who copies the database; none where it is a folder, which copies itself.
    pub(crate) fn database_backup(&self) -> Option<DatabaseBackup> {
        let database = self.node.clone()?;
        let secret = self.secrets.clone();
        Some(DatabaseBackup { database, secret })
    }

    /// Who copies everything while the server goes on.
    pub(crate) fn backup(&self) -> Option<Arc<dyn Backup>> {
        match self.database_backup() {
            Some(backup) => Some(Arc::new(backup)),
            None => self.file.clone().map(|file| file as _),
        }
    }

    /// Waits for something.
    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        self.runtime.runtime().block_on(what)
    }

    /// Writes into the security log what was done here, where nobody is signed in.
    pub(crate) fn note(
        &self,
        event: SecurityEvent,
        account: Option<AccountId>,
        about: &str,
    ) -> Result<()> {
        let entry = SecurityEntry {
            at: now(),
            event,
            account,
            by: None,
            about: about.to_owned(),
            place: "the command line".to_owned(),
        };
        Ok(self.wait(self.store.note(&entry))?)
    }

    /// Where waiting is done, for threads of others.
    pub(crate) fn handle(&self) -> tokio::runtime::Handle {
        self.runtime.runtime().handle().clone()
    }

    /// The host of the games. To be closed before the program ends.
    pub(crate) fn games(&self) -> Result<Games> {
        self.games_at(self.clock()?)
    }

    /// The machine's clock, held against when a process last wrote here.
    pub(crate) fn clock(&self) -> Result<Arc<dyn TimeSource>> {
        let last = self.wait(quorate_runtime::ports::Journal::last_beat(&*self.store))?;
        Ok(Arc::new(SteadyClock::of_machine(last)))
    }

    /// The host of the games, whose commands others judge.
    pub(crate) fn games_by(
        &self,
        judges: Arc<dyn Judges>,
        clock: Arc<dyn TimeSource>,
    ) -> Result<Games> {
        self.started(judges, clock)
    }

    /// The host of the games under a clock of one's own.
    pub(crate) fn games_at(&self, clock: Arc<dyn TimeSource>) -> Result<Games> {
        self.started(Arc::new(InProcess::new(&self.laws)), clock)
    }

    fn started(&self, judges: Arc<dyn Judges>, clock: Arc<dyn TimeSource>) -> Result<Games> {
        let secret = self.secret()?;
        let others = self.node.as_ref().map(|node| Others {
            nodes: node.clone(),
            peers: Arc::new(PeerLinks::new(&secret)),
        });
        let ports = Ports {
            journal: self.store.clone(),
            seals: self.store.clone(),
            judges,
            clock,
            secret,
            others,
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

fn runtime() -> Result<WaitingPlace> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    Ok(WaitingPlace(Some(runtime.context("cannot start")?)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_does_not_end_holds_up_nobody() {
        let waiting = runtime().unwrap();
        let (began, begun) = std::sync::mpsc::channel();
        let (_held, never) = std::sync::mpsc::channel::<()>();
        waiting.runtime().spawn_blocking(move || {
            began.send(()).unwrap();
            never.recv()
        });
        begun.recv().unwrap();
        let (ended, end) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            drop(waiting);
            ended.send(())
        });
        assert_eq!(end.recv_timeout(Duration::from_secs(5)), Ok(()));
    }
}
