//! Games that the operator takes off the site, and puts back.

use std::sync::Arc;

use quorate_kernel::GameId;
use quorate_runtime::ports::SecurityEvent;

use crate::app::error::AppError;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;

/// Takes a game off the site, or puts it back, for an operator; the security log has it. From then on the game is in no list
/// and under no address, until it is put back with all that was in it.
///
/// # Errors
/// Fails where there is no such game on the site, or none to put back; and always for everybody else.
pub(crate) async fn set_removed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    word: &str,
    is_removed: bool,
) -> Result<GameId, AppError> {
    if !visitor.is_operator() {
        return Err(AppError::NotFound);
    }
    let game: GameId = word.parse().map_err(|_| AppError::NotFound)?;
    let removed = site.deps.games.removed().await?;
    if is_removed == removed.iter().any(|(gone, _)| *gone == game) {
        // It is so already, or there is no such game.
        return Err(AppError::NotFound);
    }
    if !site.deps.games.set_removed(&game, is_removed).await? {
        return Err(AppError::NotFound);
    }
    let event = if is_removed {
        SecurityEvent::GameRemoved
    } else {
        SecurityEvent::GamePutBack
    };
    let happened = Happened {
        event,
        account: None,
        about: game.to_string(),
    };
    safety::note(site, visitor, happened).await;
    Ok(game)
}
