//! What the reader can do, and the forms that do it: actions of the law, answers to questions, the dice line.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::event::Outcome;
use quorate_kernel::{EventSeq, Name, Refusal};
use quorate_runtime::Receipt;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::filled::{GIVE_UP, answer_act, arguments};
use crate::requests::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::requests::send;
use crate::site::act::again;
use crate::site::act::sheet::{latest, sheet};
use crate::ui::urls::Href;
use crate::ui::{Link, urls};
use crate::view::game::GameView;
use crate::view::offers::CALLED;
use crate::view::people::Part;

/// `GET /g/{game}/act`.
pub async fn show(Opened(view): Opened, Query(query): Query<BTreeMap<String, String>>) -> Response {
    let done = query
        .get("done")
        .and_then(|seq| seq.parse().ok())
        .map(EventSeq);
    let me = match send::player(&view) {
        Ok(me) => me,
        Err(error) => return answer_in(&view, Err(error)),
    };
    let events = latest(&view, done).await;
    drawn(view, move |view| {
        Ok(page(view, &sheet(view, me, done, &events)))
    })
    .await
}

/// `POST /g/{game}/act/{action}`.
pub async fn submit(
    Path((_, action)): Path<(String, String)>,
    SentIn { view, form }: SentIn,
) -> Response {
    if form.filled("look").is_some() {
        return again::present(view, &action, form).await;
    }
    let result = acted(&view, &action, &form).await;
    let name = Name::from(action.as_str());
    // Its rule may be gone since the form was shown, which brings the title along for that.
    let tried = match form.filled(CALLED) {
        Some(title) if !view.law().actions.contains_key(&name) => title.to_owned(),
        _ => view.action_title(&name, None),
    };
    match result {
        Err(AppError::Refused(refusal)) if form.filled("back").is_none() => {
            again::refused(view, &action, form, tried, *refusal).await
        }
        result => answer_to(&view, &form, result, &tried),
    }
}

/// What a form that acts came to: back to where it stood, or the refusal.
fn answer_to(
    view: &Arc<GameView>,
    form: &Posted,
    result: Result<Receipt, AppError>,
    tried: &str,
) -> Response {
    let game = view.game().as_str();
    let back = form.filled("back").and_then(Href::returning);
    match result {
        Ok(receipt) => {
            if let (Outcome::Done, Some(back)) = (&receipt.outcome, back) {
                reply::see_with(&back, &format!("Done: {tried}."))
            } else {
                let href = Href::from(urls::Act { game }).with("done", &receipt.seq.0.to_string());
                reply::see(&href)
            }
        }
        Err(AppError::Refused(refusal)) => {
            let refusal = again::no(view, tried, &refusal);
            let chrome = view.chrome("The rules say no", Part::Act);
            let way = match back {
                Some(back) => Link::new("Back", back),
                None => Link::new("What you can do", urls::Act { game }),
            };
            reply::refused(view.app(), view.visitor(), chrome, refusal, None, way)
        }
        Err(error) => answer_in(view, Err(error)),
    }
}

async fn acted(view: &Arc<GameView>, action: &str, form: &Posted) -> Result<Receipt, AppError> {
    let me = send::player(view)?;
    let (reading, name, sent) = (Arc::clone(view), Name::from(action), form.clone());
    let args = tokio::task::spawn_blocking(move || arguments(&reading, me, &name, &sent)).await??;
    let act = Act::Do {
        action: action.into(),
        args,
    };
    send::send(view, form.key(), act).await
}

/// `POST /g/{game}/answer/{question}`.
pub async fn answer(
    Path((_, question)): Path<(String, String)>,
    SentIn { view, form }: SentIn,
) -> Response {
    let answer = form.one("answer").unwrap_or_default();
    let result = match answer_act(&view, &question, answer) {
        Ok(act) => send::send(&view, form.key(), act).await,
        // It may have been answered by this very form, sent twice.
        Err(AppError::NotFound) => match send::sent_before(&view, form.key()).await {
            Ok(None) => Err(Refusal::plain("a question that still waits for your answer").into()),
            Ok(Some(receipt)) => Ok(receipt),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    let tried = if answer == GIVE_UP {
        "Giving it up"
    } else {
        "The answer"
    };
    answer_to(&view, &form, result, tried)
}

/// `POST /g/{game}/roll`: the dice line.
pub async fn roll(SentIn { view, form }: SentIn) -> Response {
    let line = form.one("line").unwrap_or_default();
    let act = Act::Dice { line: typed(line) };
    let result = send::send(&view, form.key(), act).await;
    answer_to(&view, &form, result, "The dice line")
}
