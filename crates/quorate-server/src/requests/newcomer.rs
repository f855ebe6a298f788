//! Asking to join a game, for pages and programs alike.

use quorate_kernel::PlayerId;
use quorate_kernel::command::{Act, typed};
use quorate_runtime::Receipt;
use quorate_runtime::ports::Seat;

use crate::app::error::AppError;
use crate::requests::send;
use crate::view::game::GameView;

/// Asks to join a game for the view's reader, who then plays whoever that made.
pub(crate) async fn asked(
    view: &GameView,
    key: Option<&str>,
    name: &str,
    text: &str,
) -> Result<Receipt, AppError> {
    let account = view.visitor().id().ok_or(AppError::SignIn)?;
    let act = Act::Apply {
        name: typed(name),
        text: typed(text),
    };
    if view.me().is_some() {
        // Whoever left may ask again under the player that they were.
        return send::send(view, key, act).await;
    }
    let receipt = send::send_as_newcomer(view, key, act).await?;
    let player = PlayerId(quorate_kernel::ids::Id::new(receipt.seq, 0));
    let seat = Seat {
        game: view.game().clone(),
        player,
        account,
    };
    view.app().deps.accounts.take_seat(&seat).await?;
    Ok(receipt)
}
