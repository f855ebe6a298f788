//! Pictures that people put into what they write.

use async_trait::async_trait;
use quorate_kernel::{GameId, Moment};

use super::{AccountError, AccountId};

/// How many pictures an account has in all games at most.
pub const UPLOADS_MAX: u32 = 200;

/// A picture that somebody uploaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Upload {
    /// In which game.
    pub game: GameId,
    /// What texts call it: a digest of what is seen in it.
    pub word: String,
    /// When it came.
    pub at: Moment,
    /// Its PNG file, as it was written here.
    pub file: Vec<u8>,
}

/// What became of a picture that was to be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UploadKept {
    /// It is kept, or was already.
    Kept,
    /// The account has as many as it may have.
    TooMany,
}

/// Pictures beside the log. Who may see one is not decided here: a picture is shown with the text that names it.
#[async_trait]
pub trait Uploads: Send + Sync {
    /// Keeps a picture for whoever uploaded it. The same once more changes nothing.
    async fn keep_upload(&self, id: AccountId, upload: &Upload)
    -> Result<UploadKept, AccountError>;

    /// A picture of a game, whoever uploaded it, or only where that account did.
    async fn upload(
        &self,
        game: &GameId,
        word: &str,
        by: Option<AccountId>,
    ) -> Result<Option<Upload>, AccountError>;

    /// Drops a picture of a game for good, whoever uploaded it, or only what that account did. Gives how many there were.
    async fn drop_upload(
        &self,
        game: &GameId,
        word: &str,
        by: Option<AccountId>,
    ) -> Result<u64, AccountError>;

    /// Drops all that an account uploaded, in every game. Gives how many there were.
    async fn drop_uploads_of(&self, id: AccountId) -> Result<u64, AccountError>;
}
