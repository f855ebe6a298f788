//! The key by which push services and browsers know this server.

use quorate_notices::outbox::Outbox;
use quorate_notices::push::{PushError, PushKey};
use quorate_runtime::OperatingError;

use crate::app::error::AppError;

/// The server's key, made when it is wanted for the first time. It is kept in the data folder, and stays: browsers let
/// only the key push that they subscribed with.
///
/// # Errors
/// Fails where the store does, and where the system has no random bytes.
pub(crate) async fn key(outbox: &dyn Outbox) -> Result<PushKey, AppError> {
    let fresh = PushKey::fresh().map_err(broken)?;
    let kept = outbox.push_key(&fresh).await;
    PushKey::read(&kept.map_err(OperatingError::from)?).map_err(broken)
}

fn broken(error: PushError) -> AppError {
    AppError::Broken(error.to_string())
}
