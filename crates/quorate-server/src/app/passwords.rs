//! Work on passwords, where it may take its time, for a few at once.

use std::sync::Arc;

use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::security::password::{Passwords, Tried};

/// Tries a password against the digest of an account, or against none, which takes as long.
///
/// # Errors
/// Fails where too many wait already.
pub async fn tried(
    site: &Arc<AppState>,
    typed: &str,
    kept: Option<String>,
) -> Result<Tried, AppError> {
    let typed = typed.to_owned();
    worked(site, move |passwords| {
        passwords.try_password(&typed, kept.as_deref())
    })
    .await
}

/// The digest of a new password, of somebody of whom such words are known.
///
/// # Errors
/// Fails where the password is too short, too long or too common, and where too many wait already.
pub async fn fresh(
    site: &Arc<AppState>,
    password: &str,
    known: Vec<String>,
) -> Result<String, AppError> {
    let password = password.to_owned();
    let made = worked(site, move |passwords| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Passwords::judge(&password, &known).map_err(|why| AppError::Form(why.to_string()))?;
        Ok(passwords.digest(&password)?)
    });
    made.await?
}

/// The digest of a password that is an account's already.
///
/// # Errors
/// Fails where too many wait already.
pub async fn digest(site: &Arc<AppState>, password: &str) -> Result<String, AppError> {
    let password = password.to_owned();
    Ok(worked(site, move |passwords| passwords.digest(&password)).await??)
}

async fn worked<T: Send + 'static>(
    site: &Arc<AppState>,
    work: impl FnOnce(&Passwords) -> T + Send + 'static,
) -> Result<T, AppError> {
    let turn = site.turns.wait().await?;
    let turn = turn.ok_or_else(|| AppError::Broken("the server is closing".to_owned()))?;
    let working = Arc::clone(site);
    let done = tokio::task::spawn_blocking(move || {
        // Held until the work is done, also where nobody waits for it any more.
        let _held = turn;
        work(&working.passwords)
    });
    Ok(done.await?)
}
