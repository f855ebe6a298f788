//! What a reader's worker asks of its server while it works, and how it is answered: the ports of a site over a socket.
//!
//! A worker asks one thing at a time and waits for the answer. It gets no secret: no password, no game's secret.

mod asked;
mod far;

pub use asked::Near;
pub use far::{Far, serve};

use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment};
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{AccountError, StoreError};
use quorate_runtime::wire::{WireHead, WireRecord};
use serde::{Deserialize, Serialize};

use crate::culprit::RunTold;
use crate::frame;

/// From a worker to its server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Upward {
    /// It needs something, and waits for the answer.
    Ask(Ask),
    /// It has the game's law at hand, and begins with the job.
    Begins,
    /// What runs.
    Runs(RunTold),
    /// The job is done.
    Done(Vec<u8>),
}

/// From a server to its worker: something to be done.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WorkerTask {
    /// What, as the two ends of it know how to read it.
    pub(crate) request: Vec<u8>,
    /// The game whose law it takes up before that.
    pub(crate) game: Option<GameId>,
    /// Whether the worker says before each run of rule code whose it is.
    pub(crate) telling: bool,
}

/// A question.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Ask {
    Account(u64),
    AccountByName(String),
    Accounts,
    AccountOfSession(Digest, Moment),
    Token(Digest, Moment),
    Seat(u64, GameId),
    SeatsOf(u64),
    SeatsIn(GameId),
    MessagesRead(u64, GameId),
    NoteMessagesRead(u64, GameId, String, EventSeq),
    Games,
    Game(GameId),
    Events(GameId, EventSeq, u32),
    SnapshotBefore(GameId, EventSeq),
    Seals(Vec<Digest>),
    /// The newest state of a game, unless its log still ends with this hash.
    Newest(GameId, Option<Digest>),
    /// A command, of which the moment does not count.
    Send(GameId, WireRecord),
}

/// Whether bytes are a task.
pub(crate) fn is_task(bytes: &[u8]) -> bool {
    frame::message::<WorkerTask>(bytes).is_ok()
}

/// Whether bytes are something that a worker says, of which everything can be read.
pub(crate) fn is_upward(bytes: &[u8]) -> bool {
    match frame::message(bytes) {
        Ok(Upward::Ask(Ask::Send(_, command))) => command.command().is_ok(),
        Ok(Upward::Ask(_) | Upward::Begins | Upward::Runs(_) | Upward::Done(_)) => true,
        Err(_) => false,
    }
}

/// A game's row without its secret.
#[derive(Debug, Serialize, Deserialize)]
struct WireRow {
    game: GameId,
    head: WireHead,
    next_due: Option<Moment>,
    whole: bool,
}

/// A seal's content.
type WireSeal = (Digest, [u8; 16], Vec<u8>);

/// The newest state of a game; the state is left out where it is the one that was named.
type WireNewest = (WireHead, Option<WireRecord>);

/// A snapshot: the end of its log, its digest, its open part.
type WireSnapshot = (WireHead, Digest, Vec<u8>);

/// Why a question has no answer.
#[derive(Debug, Serialize, Deserialize)]
enum Trouble {
    Store(StoreError),
    Account(AccountError),
    NoGame(GameId),
    Closing,
    Other(String),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<AccountError> for Trouble {
    fn from(error: AccountError) -> Self {
        Self::Account(error)
    }
}

impl From<OperatingError> for Trouble {
    fn from(error: OperatingError) -> Self {
        match error {
            OperatingError::NoGame(game) => Self::NoGame(game),
            OperatingError::Store(error) => Self::Store(error),
            OperatingError::Closing => Self::Closing,
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<Trouble> for StoreError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Store(error) | Trouble::Account(AccountError::Store(error)) => error,
            Trouble::Account(error) => Self::Failed {
                cause: error.to_string().into(),
            },
            Trouble::NoGame(game) => Self::NoGame { game },
            Trouble::Closing => Self::Failed {
                cause: "the server is closing".into(),
            },
            Trouble::Other(cause) => Self::Failed {
                cause: cause.into(),
            },
        }
    }
}

impl From<Trouble> for AccountError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Account(error) => error,
            other => Self::Store(other.into()),
        }
    }
}

impl From<Trouble> for OperatingError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::NoGame(game) => Self::NoGame(game),
            Trouble::Closing => Self::Closing,
            other => Self::Store(other.into()),
        }
    }
}
