//! How often somebody may knock, counted once for all nodes of a site.

use async_trait::async_trait;
use quorate_kernel::digest::Digest;

use super::StoreError;

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
