//! Following and muting posts, people and rules.

use axum::response::Response;
use quorate_notices::outbox::{Followed, Interest};

use crate::app::error::AppError;
use crate::app::forms::{SentIn, answer_in};
use crate::app::posted::Posted;
use crate::app::{reply, send};
use crate::site::notices::handler::{failed, outbox};
use crate::ui::urls;
use crate::ui::urls::Href;
use crate::view::game::GameView;

/// `POST /g/{game}/follow`.
pub async fn take(SentIn { look, form }: SentIn) -> Response {
    let result = taken(&look, &form).await;
    answer_in(&look, result)
}

async fn taken(look: &GameView, form: &Posted) -> Result<Response, AppError> {
    send::player(look)?;
    let account = look.visitor().id().ok_or(AppError::SignIn)?;
    let what = form.one("what").unwrap_or_default();
    let what: Followed = what.parse().map_err(|_| AppError::NotFound)?;
    let game = look.game().as_str();
    let back: Href = match &what {
        Followed::Post(id) => {
            // Whoever may not see a post learns nothing of it here either.
            look.post(*id).ok_or(AppError::NotFound)?;
            let post = id.to_string();
            urls::Post { game, post: &post }.into()
        }
        Followed::Person(id) => {
            look.public().people.get(id).ok_or(AppError::NotFound)?;
            let player = id.to_string();
            let player = &player;
            urls::Player { game, player }.into()
        }
        Followed::Rule(rule) => {
            look.public().rules.get(rule).ok_or(AppError::NotFound)?;
            let rule = rule.as_str();
            urls::RuleHistory { game, rule }.into()
        }
    };
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
    let taken = outbox(look.app())?.take_interest(account, look.game(), &what, interest);
    taken.await.map_err(failed)?;
    Ok(reply::see_with(&back, done))
}
