//! What a reader's worker asks of its server while it works, and how it is answered: the ports of a site over a socket.
//!
//! A worker asks one thing at a time and waits for the answer. It gets no secret: no password, no game's secret.

mod asked;
mod far;

pub(crate) use asked::Working;

pub use asked::Near;
pub use far::{Far, serve};

use std::time::Duration;

use quorate_kernel::digest::Digest;
use quorate_kernel::{EventSeq, GameId, Moment, Name, PlayerId};
use quorate_runtime::ports::SearchQuery;
use quorate_runtime::wire::{WireHead, WireRecord};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::culprit::RunTold;
use crate::frame;

/// From a worker to its server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Upward {
    /// It needs something, and waits for the answer.
    Ask(PipeAsk),
    /// It has the game's law at hand, and begins with the job.
    Begins,
    /// What runs.
    Runs(RunTold),
    /// The job is done.
    Done(#[serde(with = "serde_bytes")] Vec<u8>),
}

/// From a server to its worker: something to be done.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WorkerTask {
    /// What, as the two ends of it know how to read it. Nothing where it only takes up the game's law.
    #[serde(with = "serde_bytes")]
    pub(crate) request: Vec<u8>,
    /// The game whose law it takes up before that.
    pub(crate) game: Option<GameId>,
    /// After how long the worker says what rule code runs.
    pub(crate) tells_after: Duration,
}

/// A question.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum PipeAsk {
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
    /// The account that the worker works for writes something, and is to be counted for it; true for a command of a game.
    CountWrite(bool),
    /// What the account that the worker works for is kept from.
    Restraint(u64, Moment),
    /// The drafts of the account that is worked for: all in a game, one of them, and dropping one.
    Drafts(GameId),
    Draft(GameId, String),
    DropDraft(GameId, String),
    Games,
    Game(GameId),
    Events(GameId, EventSeq, u32),
    SnapshotBefore(GameId, EventSeq),
    Seals(Vec<Digest>),
    /// Whether the index has followed a game, and how far: the event, the form and the terms.
    IndexPoint(GameId),
    /// Texts of a game, from behind a place on.
    Search(GameId, SearchQuery, Option<String>, u32),
    /// The newest state of a game, of which the worker has one whose log ends here.
    Newest(GameId, Option<(EventSeq, Digest)>),
    /// A command, of which the moment does not count.
    Send(GameId, WireRecord),
    /// What came of an earlier command, by its sender and key.
    Receipt(GameId, PipeSender, Name),
    /// The account that the worker works for plays whoever its asking to join made.
    TakeSeat(GameId, PlayerId),
}

impl PipeAsk {
    /// Whether the answer is the same for a whole job, unless that changes something.
    fn stays(&self) -> bool {
        matches!(
            self,
            Self::Account(_)
                | Self::AccountByName(_)
                | Self::Seat(..)
                | Self::SeatsOf(_)
                | Self::SeatsIn(_)
                | Self::MessagesRead(..)
        )
    }

    /// Whether a game has to judge first.
    pub(crate) fn waits_for_game(&self) -> bool {
        matches!(self, Self::Send(..))
    }

    /// Whether others may be answered otherwise after it.
    fn changes(&self) -> bool {
        matches!(
            self,
            Self::NoteMessagesRead(..) | Self::DropDraft(..) | Self::Send(..) | Self::TakeSeat(..)
        )
    }
}

/// Who sends through a worker.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum PipeSender {
    Player(PlayerId),
    /// Somebody who asks to join.
    Newcomer,
    /// Whoever runs the server, and repairs the game.
    Operator,
}

/// Whether bytes are a task.
pub(crate) fn is_task(bytes: &[u8]) -> bool {
    frame::message::<WorkerTask>(bytes).is_ok()
}

/// Whether bytes are something that a worker says, of which everything can be read.
pub(crate) fn is_upward(bytes: &[u8]) -> bool {
    match frame::message(bytes) {
        Ok(Upward::Ask(PipeAsk::Send(_, command))) => command.command().is_ok(),
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
type WireSeal = (Digest, [u8; 16], ByteBuf);

/// The newest state of a game, for whoever may have an earlier one.
type WireNewest = (WireHead, NewestSent);

/// How the newest state is handed over.
#[derive(Debug, Serialize, Deserialize)]
enum NewestSent {
    /// It is the one that was named.
    Same,
    /// What happened since then.
    Since(Vec<WireRecord>),
    /// The whole of it.
    Whole(WireRecord),
}

/// A snapshot: the end of its log, its digest, its open part.
type WireSnapshot = (WireHead, Digest, ByteBuf);

/// How far the index has followed a game.
type WirePoint = (EventSeq, u32, Digest);
