//! Following and muting posts, people and rules.

use axum::response::Response;
use quorate_notices::outbox::{Followed, Interest};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::forms::{SentBeside, answer_beside};
use crate::requests::named::is_there;
use crate::requests::send;
use crate::site::notices::reach::{failed, outbox};
use crate::ui::urls;
use crate::ui::urls::Href;
use crate::view::game::GameContext;

/// The page of something that is followed.
pub(super) fn page_of(game: &str, what: &Followed) -> Href {
    match what {
        Followed::Post(id) => {
            let post = &id.to_string();
            urls::Post { game, post }.into()
        }
        Followed::Person(id) => {
            let player = &id.to_string();
            urls::Player { game, player }.into()
        }
        Followed::Rule(rule) => {
            let rule = rule.as_str();
            urls::RuleHistory { game, rule }.into()
        }
    }
}

/// `POST /g/{game}/follow`.
pub async fn submit(SentBeside { context, form }: SentBeside) -> Response {
    let result = taken(&context, &form).await;
    answer_beside(&context, result)
}

async fn taken(context: &GameContext, form: &Posted) -> Result<Response, AppError> {
    send::seat(context)?;
    let account = context.visitor().id().ok_or(AppError::SignIn)?;
    let what = form.one("what").unwrap_or_default();
    let what: Followed = what.parse().map_err(|_| AppError::NotFound)?;
    if !is_there(context, &what).await? {
        return Err(AppError::NotFound);
    }
    let back = page_of(context.game().as_str(), &what);
    let (interest, done) = match form.one("do") {
        Some("follow") => (
            Some(Interest::Follows),
            "You follow it: you hear what is new of it.",
        ),
        Some("mute") => (
            Some(Interest::Mutes),
            "You muted it: you hear no more of it.",
        ),
        _ => (None, "You hear of it as of everything else."),
    };
    let taken = outbox(context.app())?.take_interest(account, context.game(), &what, interest);
    taken.await.map_err(failed)?;
    Ok(reply::see_with(&back, done))
}
