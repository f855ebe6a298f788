//! What lies beside the log: the contents that its digests stand for.

use std::collections::HashMap;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use quorate_kernel::seal::SealBytes;

use super::StoreError;

/// The contents of seals, by digest. They are written together with the events that need them.
#[async_trait]
pub trait Seals: Send + Sync {
    /// Those of the contents that are here.
    async fn find(&self, digests: &[Digest]) -> Result<HashMap<Digest, SealBytes>, StoreError>;

    /// Drops contents for good, salts too, and gives how many there were. One that was forgotten is never kept
    /// again, for an event may still carry what a state in memory knew.
    async fn forget(&self, digests: &[Digest]) -> Result<usize, StoreError>;
}
