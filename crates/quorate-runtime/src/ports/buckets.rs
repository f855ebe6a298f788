//! How often somebody may knock, counted once for all nodes of a site.

use async_trait::async_trait;
use quorate_kernel::digest::Digest;

use super::{AccountId, StoreError};
use crate::published::Answer;

/// Buckets of tokens that fill again by themselves. Their clock is the store's own.
#[async_trait]
pub trait Buckets: Send + Sync {
    /// Takes a token out of a bucket that holds `burst` of them and is full again `refill_seconds` after it was empty. Where
    /// none is left, nothing changes, and it gives the milliseconds until there is one.
    ///
    /// # Errors
    /// Fails where the store cannot be reached.
    async fn draw(
        &self,
        bucket: Digest,
        burst: u32,
        refill_seconds: u32,
    ) -> Result<Option<u64>, StoreError>;
}

/// How often accounts may write, counted in one place for a server and all of its workers.
#[async_trait]
pub trait WriteLimits: Send + Sync {
    /// Counts something that an account writes; where it wrote too often, it gives the milliseconds to wait, and so it does before a
    /// command of a game where the commands before it wrote too much.
    ///
    /// # Errors
    /// Fails where it cannot be counted.
    async fn count_write(&self, id: AccountId, is_command: bool)
    -> Result<Option<u64>, StoreError>;

    /// Notes how a command was answered, for whoever watches the server, and what it wrote as the account's. It is nobody's where
    /// the one who runs the server sent it.
    fn note_sent(&self, id: Option<AccountId>, answer: &Answer);
}
