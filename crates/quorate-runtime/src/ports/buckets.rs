//! How often somebody may knock, counted once for all nodes of a site.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;

use super::{AccountId, StoreError};
use crate::error::OperatingError;
use crate::mail::CommandSender;
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
    /// Counts something that an account writes. If it has written too often, gives the milliseconds to wait; for a command of a game
    /// (`is_command`) also if its earlier commands wrote too much.
    ///
    /// # Errors
    /// Fails where it cannot be counted.
    async fn count_write(&self, id: AccountId, is_command: bool)
    -> Result<Option<u64>, StoreError>;

    /// A command of the account begins. Where its earlier ones wrote too much, or those that are being judged might, gives the
    /// milliseconds to wait.
    ///
    /// # Errors
    /// Fails with these milliseconds.
    fn begin(&self, id: AccountId) -> Result<BegunCommand, u64>;

    /// Notes how a command was answered, and charges the account for what it wrote. An operator's repair is charged to nobody.
    fn note_sent(&self, id: Option<AccountId>, answer: &Answer);
}

/// A command that counts among those that are being judged until this is dropped.
pub struct BegunCommand {
    _counted: Option<Arc<()>>,
}

impl BegunCommand {
    /// It is counted by how many share this.
    pub fn counted_by(shared: Arc<()>) -> Self {
        Self {
            _counted: Some(shared),
        }
    }

    /// Somebody else counts it.
    pub fn counted_elsewhere() -> Self {
        Self { _counted: None }
    }
}

/// Waits for the answer to a command that is being sent, and notes it. If the sender hangs up before the command is judged, it is dropped.
/// Once it is judged it counts, even if nobody waits for the answer any more.
///
/// # Errors
/// Fails where the command could not be sent, where the sender's earlier ones wrote too much, or sending it met a bug.
pub async fn noted<F: Future<Output = Result<Answer, OperatingError>> + Send + 'static>(
    writes: &Arc<dyn WriteLimits>,
    id: Option<AccountId>,
    send: impl FnOnce(CommandSender) -> F,
) -> Result<Answer, OperatingError> {
    let writes = Arc::clone(writes);
    let waits = Arc::new(());
    let sending = send(CommandSender::holding(&waits));
    let sent = tokio::spawn(async move {
        let begun = id.map(|id| writes.begin(id)).transpose();
        let _begun =
            begun.map_err(|retry_after_ms| OperatingError::WroteTooMuch { retry_after_ms })?;
        let answer = sending.await;
        if let Ok(answer) = &answer {
            writes.note_sent(id, answer);
        }
        answer
    });
    sent.await.map_err(|_| OperatingError::Bug)?
}
