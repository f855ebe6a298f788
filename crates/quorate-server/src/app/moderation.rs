//! What operators keep accounts from, where it is asked.

use quorate_kernel::command::Act;
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
