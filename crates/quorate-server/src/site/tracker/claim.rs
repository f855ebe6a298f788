//! Changes by hand: a value set with a reason and the rule that it rests on.

use std::sync::Arc;

use axum::response::Response;
use quorate_kernel::patch::Clause;
use quorate_kernel::rows::CellKey;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::by_hand::by_hand;
use crate::requests::forms::{SentIn, answer_in};
use crate::requests::send;
use crate::ui::Link;
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::{grid, history};

/// `POST /g/{game}/claim`.
pub(crate) async fn submit(SentIn { view, form }: SentIn) -> Response {
    let Some(key) = form.one("cell").and_then(grid::cell_of) else {
        let error = AppError::Form("The form names no value.".to_owned());
        return answer_in(&view, Err(error));
    };
    let back = history::on_tracker(&view, &key);
    match claimed(&view, &key, &form).await {
        Ok(()) => reply::see_with(&back, "The change is made, and stands as claimed."),
        Err(AppError::Refused(refusal)) => {
            let refusal = view.refusal("The change by hand", &refusal);
            let chrome = view.chrome("The rules say no", Part::Tracker);
            let way = Link::new("Back to the value", back);
            let why = form.filled("why").map(str::to_owned);
            reply::refused(view.app(), view.visitor(), chrome, refusal, why, way)
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

async fn claimed(view: &Arc<GameView>, key: &CellKey, form: &Posted) -> Result<(), AppError> {
    send::player(view)?;
    let (reading, of, sent) = (Arc::clone(view), key.clone(), form.clone());
    let read = tokio::task::spawn_blocking(move || {
        history::sent_value(&reading, &of, sent.all("value"), sent.filled("add"))
    });
    let (value, home) = read.await??;
    let clause = Clause::SetValue {
        thing: key.thing.clone(),
        name: key.name.clone(),
        value,
    };
    by_hand(view, clause, &home, form).await
}
