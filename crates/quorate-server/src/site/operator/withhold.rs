//! Withholding: what somebody wrote or uploaded is dropped for good, and the game's log says that it was.

use std::sync::Arc;

use axum::response::Response;
use quorate_kernel::EventSeq;
use quorate_runtime::ports::SecurityEvent;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::forget;
use crate::ui::{Choice, Field, FieldKind, urls};
use crate::view::game::GameContext;

/// The fields of the form: which game, which event, why.
pub(crate) fn fields(games: impl Iterator<Item = String>) -> Vec<Field> {
    let games = games.map(|game| Choice::new(game.clone(), game));
    let number = FieldKind::Number {
        value: String::new(),
        min: Some(2),
        max: None,
    };
    let why = FieldKind::Line(String::new());
    vec![
        Field::new("wh-game", "game", "Game", FieldKind::One(games.collect())),
        Field::new("wh-event", "event", "Event", number).hint("its number in the game’s log"),
        Field::new("wh-why", "why", "Reason", why).hint("everybody can read it in the log"),
    ]
}

/// Drops what was typed or uploaded in an event, from the store, the state and the judge. The chain holds, for the log has
/// digests alone; who was let in keeps their name, and what a proposal changes stays, for the game stands on both.
pub(crate) async fn done(
    site: &Arc<AppState>,
    visitor: &Visitor,
    form: &Posted,
) -> Result<Response, AppError> {
    let game = form.filled("game").unwrap_or_default();
    let context = GameContext::at(site, visitor, game).await?;
    let number = form.filled("event").and_then(|text| text.parse().ok());
    let unread = || AppError::Form("An event is named by its number.".to_owned());
    let seq = EventSeq(number.ok_or_else(unread)?);
    let events = site.events(context.game(), &[seq]).await?;
    let event = events.into_iter().next().ok_or(AppError::NotFound)?;
    forget::withhold(&context, &event, None, form.filled("why")).await?;
    let happened = Happened {
        event: SecurityEvent::Withheld,
        account: None,
        about: format!("event {seq} of {game}"),
    };
    safety::note(site, visitor, happened).await;
    let words = format!("What was written in event {seq} of {game} is gone.");
    Ok(reply::see_with(&urls::Operator.into(), &words))
}
