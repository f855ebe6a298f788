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
pub(crate) async fn take(SentIn { look, form }: SentIn) -> Response {
    let Some(key) = form.one("cell").and_then(grid::cell_of) else {
        let error = AppError::Form("The form names no value.".to_owned());
        return answer_in(&look, Err(error));
    };
    let back = history::on_tracker(&look, &key);
    match claimed(&look, &key, &form).await {
        Ok(()) => reply::see_with(&back, "The change is made, and stands as claimed."),
        Err(AppError::Refused(refusal)) => {
            let refusal = look.refusal("The change by hand", &refusal);
            let chrome = look.chrome("The rules say no", Part::Tracker);
            let way = Link::new("Back to the value", back);
            let why = form.filled("why").map(str::to_owned);
            reply::refused(look.app(), look.visitor(), chrome, refusal, why, way)
        }
        Err(error) => answer_in(&look, Err(error)),
    }
}

async fn claimed(look: &Arc<GameView>, key: &CellKey, form: &Posted) -> Result<(), AppError> {
    send::player(look)?;
    let (reading, of, sent) = (Arc::clone(look), key.clone(), form.clone());
    let read = tokio::task::spawn_blocking(move || {
        history::sent_value(&reading, &of, sent.all("value"), sent.filled("add"))
    });
    let (value, home) = read.await??;
    let clause = Clause::SetValue {
        thing: key.thing.clone(),
        name: key.name.clone(),
        value,
    };
    by_hand(look, clause, &home, form).await
}
