//! What operators keep accounts from, where it is asked.

use quorate_kernel::command::Act;
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{AccountId, Restraint, RestraintKind};

use crate::app::error::AppError;
use crate::app::reply::timestamp;
use crate::app::state::AppState;
use crate::ui::When;

/// Whether an account may do that in a game: whoever is muted writes nothing.
///
/// # Errors
/// Fails with what its operator says.
pub(crate) async fn may_act(site: &AppState, id: AccountId, act: &Act) -> Result<(), AppError> {
    if !Restraint::covers(act) {
        return Ok(());
    }
    match site.deps.moderation.restraint(id, site.now()).await? {
        Some(restraint) => Err(AppError::Restrained(describe(site, &restraint))),
        None => Ok(()),
    }
}

/// Whether somebody may sign in to an account.
///
/// # Errors
/// Fails with what its operator says.
pub(crate) async fn may_sign_in(site: &AppState, id: AccountId) -> Result<(), AppError> {
    let restraint = site.deps.moderation.restraint(id, site.now()).await?;
    match restraint.filter(|restraint| restraint.kind == RestraintKind::Suspended) {
        Some(restraint) => Err(AppError::Form(describe(site, &restraint))),
        None => Ok(()),
    }
}

/// Ends the sessions and tokens of a suspended account, and holds what goes out to it. Its ways to sign in stay, for when that
/// is lifted.
///
/// # Errors
/// Fails where the store does.
pub(crate) async fn shut_out(site: &AppState, id: AccountId) -> Result<(), AppError> {
    let accounts = &site.deps.accounts;
    for session in accounts.sessions_of(id, site.now()).await? {
        accounts.end_session(session.digest).await?;
    }
    for token in accounts.tokens_of(id).await? {
        accounts.revoke_token(token.digest).await?;
    }
    let Some(outbox) = &site.deps.outbox else {
        return Ok(());
    };
    let channels = outbox.channels_of(id).await;
    for channel in channels.map_err(OperatingError::from)? {
        let paused = outbox.pause_channel(channel.id, Some("the account was suspended"));
        paused.await.map_err(OperatingError::from)?;
    }
    Ok(())
}

/// What its owner is told.
fn describe(site: &AppState, restraint: &Restraint) -> String {
    let what = match restraint.kind {
        RestraintKind::Muted => "You cannot write here",
        RestraintKind::Suspended => "This account is suspended",
    };
    let until = restraint.until.map_or_else(
        || " until an operator lifts it".to_owned(),
        |at| {
            format!(
                " until {}",
                When::new(timestamp(at), timestamp(site.now())).full()
            )
        },
    );
    format!("{what}{until}. The operator says why: {}", restraint.why)
}
