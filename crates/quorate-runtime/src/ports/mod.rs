//! What games lean on: a journal, seals, accounts, a clock and a secret, each a small trait.
//!
//! A store keeps the first three. [`crate::testing`] has one in memory, and the tests that every store must pass.

mod accounts;
mod archives;
mod backup;
mod buckets;
mod clock;
mod drafts;
mod error;
mod journal;
mod moderation;
mod ownership;
mod passkeys;
mod safety;
mod scopes;
mod seals;
mod search;
mod uploads;
mod whole;
mod workers;

pub use accounts::{
    Account, AccountError, AccountId, Accounts, Invitation, NewAccount, Recovery, Seat, Session,
    ShownUpTo, Token,
};
pub use archives::{Archives, Objects};
pub use backup::Backup;
pub use buckets::{BegunCommand, Buckets, WriteLimits, noted};
pub use clock::{
    ClockReading, ClockStanding, DistantClock, SteadyClock, SystemClock, TimeSource, Wait,
};
pub use drafts::{DRAFT_BYTES_MAX, DRAFTS_BYTES_MAX, DRAFTS_MAX, DraftKept, Drafts, KeptDraft};
pub use error::StoreError;
pub use journal::{Arrival, Batch, GameRow, Journal, Outage, Snapshot, Stored, actor_word};
pub use moderation::{Moderation, Report, Restraint, RestraintKind};
pub use ownership::{
    ClaimFor, ClaimedGame, Epoch, LEASE_MS, Lease, News, NodeRow, NodeStanding, Nodes, PeerAnswer,
    PeerAsk, PeerError, Peers, RENEW_EVERY_MS,
};
pub use passkeys::{Passkey, Passkeys};
pub use safety::{
    ENTRIES_KEPT, OutsideName, OutsideWay, Safety, SecondFactor, SecurityEntry, SecurityEvent,
    SessionUse,
};
pub use scopes::{NoSuchScope, TokenScope, TokenScopes};
pub use seals::Seals;
pub use search::{
    INDEXED_WORDS_MAX, IndexPoint, NoSearchKey, SearchIndex, SearchKey, SearchPart, SearchPlace,
    SearchQuery, SearchTerm, SearchText, search_words,
};
pub use uploads::{UPLOADS_MAX, Upload, UploadKept, Uploads};
pub use whole::{
    CarriedCell, CarriedKind, CarriedRow, CarriedTable, Parcel, RowSender, Taken, Unwanted, Whole,
    carry, fitting, in_order, next_parcel, not_empty, stays, unknown_kind,
};
pub use workers::{DistantGames, Job, JobFailed, JobSort, Workers, WorkersStanding};

use quorate_kernel::GameId;
use quorate_kernel::digest::Digest;

use crate::judge::Secret;

/// The server's secret, from which every game's own follows.
#[derive(Clone)]
pub struct ServerSecret {
    bytes: Secret,
    /// Whether the bytes are not the secret but what the tokens of forms follow from.
    is_of_forms: bool,
}

impl ServerSecret {
    /// Takes in the 32 bytes that the server keeps and shows to nobody.
    pub fn new(bytes: Secret) -> Self {
        Self {
            bytes,
            is_of_forms: false,
        }
    }

    /// A secret of which nothing is known but what the tokens of forms follow from, for a worker that draws pages. The
    /// secrets of games that follow from it open nothing.
    pub fn of_forms_alone(bytes: Secret) -> Self {
        Self {
            bytes,
            is_of_forms: true,
        }
    }

    /// What the tokens of forms follow from.
    pub fn of_forms(&self) -> Secret {
        if self.is_of_forms {
            return self.bytes;
        }
        Digest::keyed(&self.bytes, [b"forms".as_slice()]).0
    }

    /// What the nodes of one site know each other by.
    pub fn of_nodes(&self) -> Secret {
        Digest::keyed(&self.bytes, [b"nodes".as_slice()]).0
    }

    /// By what the secret is known again, without telling anything of it.
    pub fn mark(&self) -> Digest {
        Digest::keyed(&self.bytes, [b"mark".as_slice()])
    }

    /// A game's own secret. Whoever learns it learns nothing of another game's.
    pub fn of_game(&self, game: &GameId) -> Secret {
        Digest::keyed(&self.bytes, [b"game".as_slice(), game.as_str().as_bytes()]).0
    }
}

impl std::fmt::Debug for ServerSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerSecret(secret)")
    }
}
