//! What players tell the operator of, and what operators keep accounts from.

use async_trait::async_trait;
use quorate_kernel::command::Act;
use quorate_kernel::{GameId, Moment};
use serde::{Deserialize, Serialize};

use super::{AccountError, AccountId};

/// What an account is kept from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RestraintKind {
    /// It reads and acts, and writes nothing.
    Muted,
    /// Nobody can sign in to it.
    Suspended,
}

impl RestraintKind {
    /// The word by which stores and forms know it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Muted => "muted",
            Self::Suspended => "suspended",
        }
    }

    /// The one of that word.
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Muted, Self::Suspended]
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

/// What an operator keeps an account from, until when, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Restraint {
    /// From what.
    pub kind: RestraintKind,
    /// From when on it no longer counts; none where it counts until it is lifted.
    pub until: Option<Moment>,
    /// Why; its owner is told.
    pub why: String,
}

impl Restraint {
    /// Whether somebody under one may not do that: all that puts their words before others.
    pub fn covers(act: &Act) -> bool {
        match act {
            Act::Post(_) | Act::EditPost { .. } | Act::Comment { .. } | Act::Message { .. } => true,
            Act::Apply { .. } | Act::Claim { .. } | Act::Dispute { .. } | Act::Dice { .. } => true,
            Act::Found(_) | Act::Leave { .. } | Act::Do { .. } | Act::Answer { .. } => false,
            Act::Abandon { .. } | Act::Decide { .. } | Act::Recategorise { .. } => false,
            Act::Withdraw { .. } | Act::Undo { .. } | Act::Wake { .. } => false,
            Act::Sleep { .. } | Act::Due { .. } | Act::Downtime { .. } | Act::Repair { .. } => {
                false
            }
        }
    }
}

/// What somebody told the operator of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// When.
    pub at: Moment,
    /// Who; none where their account is gone.
    pub by: Option<AccountId>,
    /// In which game.
    pub game: GameId,
    /// What it is about: `post:12`, `player:3`.
    pub about: String,
    /// What is wrong with it.
    pub why: String,
}

/// Reports and restraints.
#[async_trait]
pub trait Moderation: Send + Sync {
    /// Keeps an account from something, in place of what it was kept from before.
    async fn restrain(&self, id: AccountId, restraint: &Restraint) -> Result<(), AccountError>;

    /// Lifts whatever an account is kept from.
    async fn lift(&self, id: AccountId) -> Result<(), AccountError>;

    /// What an account is kept from at a moment.
    async fn restraint(
        &self,
        id: AccountId,
        now: Moment,
    ) -> Result<Option<Restraint>, AccountError>;

    /// Keeps a report.
    async fn report(&self, report: &Report) -> Result<(), AccountError>;

    /// The reports that are not settled, oldest first, with their numbers.
    async fn reports(&self) -> Result<Vec<(u64, Report)>, AccountError>;

    /// Settles a report; false where there is no open one of that number.
    async fn settle_report(&self, id: u64, at: Moment) -> Result<bool, AccountError>;
}
