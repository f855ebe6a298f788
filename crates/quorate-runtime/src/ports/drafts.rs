//! What somebody is writing and has not posted, kept for them alone.

use async_trait::async_trait;
use quorate_kernel::{GameId, Moment};
use serde::{Deserialize, Serialize};

use super::{AccountError, AccountId};

/// How many drafts an account has at most.
pub const DRAFTS_MAX: u32 = 50;

/// How long a draft is at most, in bytes; twice the longest post.
pub const DRAFT_BYTES_MAX: usize = 512 * 1_024;

/// How long all drafts of an account are together at most, in bytes.
pub const DRAFTS_BYTES_MAX: usize = 4 * 1_024 * 1_024;

/// What somebody is writing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeptDraft {
    /// In which game.
    pub game: GameId,
    /// The form that it is for; each form of a game has one draft.
    pub form: String,
    /// What it is called in lists.
    pub title: String,
    /// When it was last written.
    pub at: Moment,
    /// The fields of the form, as they were sent.
    pub fields: String,
}

/// What became of a draft that was to be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DraftKept {
    /// It is kept.
    Kept,
    /// The account has as many drafts as it may have.
    TooMany,
    /// It is too long, or all together would be.
    TooLong,
}

/// Drafts. Each is its account's alone: nothing here gives those of another.
#[async_trait]
pub trait Drafts: Send + Sync {
    /// Keeps a draft in place of what was kept for its form. Nothing changes where there is no room.
    async fn keep_draft(&self, id: AccountId, draft: &KeptDraft)
    -> Result<DraftKept, AccountError>;

    /// The draft for a form.
    async fn draft(
        &self,
        id: AccountId,
        game: &GameId,
        form: &str,
    ) -> Result<Option<KeptDraft>, AccountError>;

    /// All drafts of an account in a game, the last written first.
    async fn drafts(&self, id: AccountId, game: &GameId) -> Result<Vec<KeptDraft>, AccountError>;

    /// Drops a draft; false where there is none.
    async fn drop_draft(
        &self,
        id: AccountId,
        game: &GameId,
        form: &str,
    ) -> Result<bool, AccountError>;
}
