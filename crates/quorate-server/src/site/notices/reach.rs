//! The outbox, as this server may have one.

use std::sync::Arc;

use quorate_notices::outbox::Outbox;
use quorate_runtime::ports::StoreError;

use crate::app::error::AppError;
use crate::app::state::AppState;

/// The outbox; none in a process that has none.
pub(super) fn outbox(site: &AppState) -> Result<&Arc<dyn Outbox>, AppError> {
    site.deps.outbox.as_ref().ok_or(AppError::NotFound)
}

/// A failure of the store, as requests know it.
pub(super) fn failed(error: StoreError) -> AppError {
    quorate_runtime::OperatingError::from(error).into()
}
