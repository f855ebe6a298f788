//! Asking to join a game, for pages and programs alike.

use quorate_kernel::PlayerId;
use quorate_kernel::command::{Act, typed};
use quorate_runtime::Receipt;
use quorate_runtime::ports::Seat;

use crate::app::error::AppError;
use crate::requests::send;
use crate::view::game::GameView;

/// Asks to join a game for the look's reader, who then plays whoever that made.
pub(crate) async fn asked(
    look: &GameView,
    key: Option<&str>,
    name: &str,
    text: &str,
) -> Result<Receipt, AppError> {
    let account = look.visitor().id().ok_or(AppError::SignIn)?;
    let act = Act::Apply {
        name: typed(name),
        text: typed(text),
    };
    if look.me().is_some() {
        // Whoever left may ask again under the player that they were.
        return send::send(look, key, act).await;
    }
    let receipt = send::send_as_newcomer(look, key, act).await?;
    let player = PlayerId(quorate_kernel::ids::Id::new(receipt.seq, 0));
    let seat = Seat {
        game: look.game().clone(),
        player,
        account,
    };
    look.app().parts.accounts.take_seat(&seat).await?;
    Ok(receipt)
}
