//! The live stream: a line whenever the game has moved. Pages fetch themselves again, as their reader.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use quorate_kernel::GameId;
use quorate_runtime::Notice;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::app::error::AppError;
use crate::app::state::AppState;

/// How often a silent stream says that it is still there.
const ALIVE_EVERY: Duration = Duration::from_secs(20);

/// `GET /g/{game}/stream`. It tells that something happened and never what: what a reader may see of it, the page decides
/// when it is asked for again.
pub(crate) async fn stream(
    State(site): State<Arc<AppState>>,
    Path(game): Path<String>,
) -> Response {
    match open(&site, &game).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

async fn open(site: &Arc<AppState>, game: &str) -> Result<Response, AppError> {
    let game: GameId = game.parse().map_err(|_| AppError::NotFound)?;
    let notices = site.deps.games.subscribe(&game);
    let head = site.deps.games.newest(&game).await?.0;
    let moved = stream::unfold((notices, Some(head)), |(mut notices, first)| async move {
        let seq = match first {
            Some(seq) => seq,
            None => next(&mut notices).await?,
        };
        let event = Event::default()
            .event("moved")
            .id(seq.to_string())
            .data(seq.to_string());
        Some((Ok::<_, Infallible>(event), (notices, None)))
    });
    let alive = KeepAlive::new().interval(ALIVE_EVERY);
    Ok(Sse::new(moved).keep_alive(alive).into_response())
}

/// The number of the newest event, once there is another. Whoever fell behind hears of the newest alone.
async fn next(notices: &mut Receiver<Notice>) -> Option<u64> {
    loop {
        match notices.recv().await {
            Ok(notice) => return Some(notice.seq.0),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}
