//! How often somebody may knock, counted once for all nodes of a site.

use std::sync::Arc;

use async_trait::async_trait;
use quorate_kernel::digest::Digest;
use tokio::sync::OwnedMutexGuard;

use super::{AccountId, StoreError};
use crate::error::OperatingError;
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

    /// Waits until no other command of the account is being judged, so that what the earlier ones wrote is known. Where that is too
    /// much, gives the milliseconds to wait.
    async fn turn(&self, id: AccountId) -> Result<CommandTurn, u64>;

    /// Notes how a command was answered, and charges the account for what it wrote. An operator's repair is charged to nobody.
    fn note_sent(&self, id: Option<AccountId>, answer: &Answer);
}

/// Keeps back the next command of an account until this is dropped.
pub struct CommandTurn(
    #[expect(dead_code, reason = "it is only held, and dropped")] Option<OwnedMutexGuard<()>>,
);

impl CommandTurn {
    /// It keeps back whoever waits for this.
    pub fn of(turn: OwnedMutexGuard<()>) -> Self {
        Self(Some(turn))
    }

    /// It keeps back nobody: somebody else does.
    pub fn kept_elsewhere() -> Self {
        Self(None)
    }
}

/// Waits for the answer to a command that is being sent, and notes it. A sender who hangs up has it judged all the same, so it is
/// noted even if nobody waits for this any more.
///
/// # Errors
/// Fails where the command could not be sent, where the sender's earlier ones wrote too much, or sending it met a bug.
pub async fn noted(
    writes: &Arc<dyn WriteLimits>,
    id: Option<AccountId>,
    sending: impl Future<Output = Result<Answer, OperatingError>> + Send + 'static,
) -> Result<Answer, OperatingError> {
    let writes = Arc::clone(writes);
    let sent = tokio::spawn(async move {
        let _turn = match id {
            Some(id) => {
                let turn = writes.turn(id).await;
                Some(
                    turn.map_err(|retry_after_ms| OperatingError::WroteTooMuch { retry_after_ms })?,
                )
            }
            None => None,
        };
        let answer = sending.await;
        if let Ok(answer) = &answer {
            writes.note_sent(id, answer);
        }
        answer
    });
    sent.await.map_err(|_| OperatingError::Bug)?
}
