//! Commands as the API reads them: a request of the engine, and the place of its mistake.

use std::sync::Arc;

use quorate_engine::request::{CommandRequest, RequestError};
use quorate_kernel::command::Act;
use quorate_kernel::event::Event;

use crate::api::asked::blocking;
use crate::api::events;
use crate::api::problem::Problem;
use crate::requests::send;
use crate::view::game::GameView;

/// Events of the past that a command is about: the one that it undoes.
pub(crate) async fn past(view: &GameView, request: &CommandRequest) -> Result<Vec<Event>, Problem> {
    let Some(seq) = request.undone() else {
        return Ok(Vec::new());
    };
    let event = events::find(view, &seq.to_string()).await;
    let nowhere = |_| Problem::bad("arguments.event", format!("there is no event {seq}"));
    event.map(|event| vec![event]).map_err(nowhere)
}

/// The act that a request stands for, read against the game as its sender sees it.
pub(crate) async fn act(
    view: &Arc<GameView>,
    request: CommandRequest,
    past: Vec<Event>,
) -> Result<Act, Problem> {
    if request.action == "answer" {
        send::player(view)?;
    }
    let read = move |view: &GameView| {
        let act = view.read_request(request, &past);
        act.map_err(|error| problem(&error))
    };
    blocking(Arc::clone(view), read).await
}

fn problem(error: &RequestError) -> Problem {
    match error.argument() {
        None => Problem::bad("action", error),
        Some(argument) => Problem::bad(format!("arguments.{argument}"), error),
    }
}
