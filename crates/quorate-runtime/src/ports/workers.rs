//! Processes that make what readers see, apart from the server's own.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::{GameId, Name};

use super::AccountId;
use crate::error::OperatingError;
use crate::published::{Answer, Published, Receipt};

/// Something to be made by a worker for somebody who waits.
#[derive(Clone, Debug)]
pub struct Job {
    /// What is to be made, as the two ends of it know how to read it.
    pub request: Vec<u8>,
    /// For whom: an account, or an address. Of one's heavy jobs one runs at a time.
    pub who: String,
    /// In which game. What it is about is rather made where that game's law is at hand.
    pub game: Option<GameId>,
    /// The account, which alone the worker may act for.
    pub account: Option<AccountId>,
    /// Whether the account runs the server and repairs the game, so that the worker may send that one command as the operator.
    pub is_repair: bool,
    /// How long the worker may be at work; what it waits for others does not count.
    pub time: Duration,
    /// What it is.
    pub sort: JobSort,
    /// Whether it shows the game as it is, so that nothing runs but the law in force. Then code that costs its worker too much
    /// is put to sleep.
    pub is_in_force: bool,
}

/// What a job is, by what it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobSort {
    /// A page: others wait behind it.
    Page,
    /// A command, and what there is to say of it. Its worker waits while the game judges.
    Command,
    /// What may take long: such jobs wait for each other and give way to all else.
    Heavy,
}

/// Why a job was not done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JobFailed {
    /// Its time was over, and it was stopped.
    #[error("it took longer than {} seconds and was stopped", .0.as_secs())]
    TimeOver(Duration),
    /// Its worker ended, as one does that needs more memory than there is for it.
    #[error("it took more memory than there is for it, or met a bug, and was stopped")]
    Ended,
    /// Too many jobs wait.
    #[error("too many such things wait to be done already")]
    Busy,
    /// No worker can be started.
    #[error("no process can be started for it ({0})")]
    NotStarted(String),
}

/// How workers do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkersStanding {
    /// How many there are.
    pub count: usize,
    /// How many were stopped since the server began, because their time was over.
    pub stopped: u64,
    /// How many ended by themselves since then.
    pub ended: u64,
    /// What the system does not let them give away, in words.
    pub lacks: Vec<String>,
}

/// Workers that make what readers see.
#[async_trait]
pub trait Workers: Send + Sync {
    /// Has a job done. Who does not wait for it any more drops the future, and the job is stopped.
    async fn run(&self, job: Job) -> Result<Vec<u8>, JobFailed>;

    /// Contents of seals were dropped for good: no worker that may still hold them is used again.
    fn forget(&self);

    /// How they do.
    fn standing(&self) -> WorkersStanding;
}

/// Games that live in another process, as far as pages need them.
#[async_trait]
pub trait DistantGames: Send + Sync {
    /// The newest state of a game that is on disk.
    async fn snapshot(&self, game: &GameId) -> Result<Arc<Published>, OperatingError>;

    /// Sends a command.
    async fn send(
        &self,
        game: &GameId,
        actor: Actor,
        key: Name,
        act: Act,
    ) -> Result<Answer, OperatingError>;

    /// What came of an earlier command, by its sender and key.
    async fn receipt(
        &self,
        game: &GameId,
        actor: Actor,
        key: &Name,
    ) -> Result<Option<Receipt>, OperatingError>;
}
