//! Removing a game and putting it back, on the operator's panel.

use std::sync::Arc;

use axum::response::Response;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::removal::set_removed;
use crate::app::reply;
use crate::app::reply::timestamp;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::{Choice, Field, FieldKind, Form, Status, StatusKind, TodoLine, When, urls};

/// The fields of the form: which game.
pub(crate) fn fields(games: impl Iterator<Item = String>) -> Vec<Field> {
    let games = games.map(|game| Choice::new(game.clone(), game));
    vec![Field::new(
        "rm-game",
        "game",
        "Game",
        FieldKind::One(games.collect()),
    )]
}

/// The games that were removed, each with the button that puts it back.
pub(crate) async fn lines(site: &AppState, visitor: &Visitor) -> Result<Vec<TodoLine>, AppError> {
    let removed = site.deps.games.removed().await?;
    let now = timestamp(site.now());
    let line = |(game, at): (quorate_kernel::GameId, quorate_kernel::Moment)| {
        let send = visitor.send(urls::OperatorDo { what: "put-back" });
        let back = Form::button(send.with("game", game.to_string()), "Put it back");
        TodoLine {
            status: Some(Status::new(StatusKind::Void, "Removed")),
            text: format!("{game}, {}", When::new(timestamp(at), now).full()),
            forms: vec![back.expected()],
            ..TodoLine::default()
        }
    };
    Ok(removed.into_iter().map(line).collect())
}

/// Removes a game, or puts it back.
pub(crate) async fn done(
    site: &Arc<AppState>,
    visitor: &Visitor,
    form: &Posted,
    is_removed: bool,
) -> Result<Response, AppError> {
    let word = form.filled("game").unwrap_or_default();
    let game = set_removed(site, visitor, word, is_removed).await?;
    let told = if is_removed {
        format!("{game} is off the site. You can put it back.")
    } else {
        format!("{game} is back.")
    };
    Ok(reply::see_with(&urls::Operator.into(), &told))
}
