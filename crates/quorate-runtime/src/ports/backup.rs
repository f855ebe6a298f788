//! Copies of all that a server keeps.

use std::fs::File;
use std::path::Path;

use async_trait::async_trait;

use super::StoreError;

/// Whoever can copy everything, while the server goes on.
#[async_trait]
pub trait Backup: Send + Sync {
    /// Writes everything, as it is at one moment, into `out`, in the form that `quorate restore` takes, and sets `out` back to
    /// its beginning. Needs as much room again in `scratch` while it works.
    ///
    /// # Errors
    /// Fails where there is no room, and where the store cannot be read.
    async fn back_up(&self, scratch: &Path, out: &File) -> Result<(), StoreError>;
}
