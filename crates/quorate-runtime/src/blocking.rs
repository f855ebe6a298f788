//! Work that takes its time, on threads where it may.

use crate::error::OperatingError;

/// Runs what would hold up other tasks on a thread of its own. A panic in it is a bug, and logged by the panic hook.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OperatingError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| OperatingError::Bug)
}
