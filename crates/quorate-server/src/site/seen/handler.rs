//! Readers have seen what is new: noted as they open a post, and when they say so of everything, the rules or the values.

use axum::extract::Path;
use axum::response::Response;

use crate::app::error::AppError;
use crate::app::reply;
use crate::requests::forms::{SentBeside, answer_beside};
use crate::requests::seen::SeenBy;
use crate::requests::send;
use crate::ui::urls::{self, Href};
use crate::view::fresh;

/// `POST /g/{game}/seen/{what}`: the reader has seen all posts, the rules or the values as they are now.
pub(crate) async fn mark_seen(
    Path((_, what)): Path<(String, String)>,
    SentBeside { context, form: _ }: SentBeside,
) -> Response {
    let result = async {
        send::seat(&context)?;
        let game = context.game().as_str();
        let (word, to): (&str, Href) = match what.as_str() {
            "posts" => (fresh::ALL, urls::Game { game }.into()),
            "rules" => (fresh::RULES, urls::Ruleset { game }.into()),
            "values" => (fresh::VALUES, urls::Tracker { game }.into()),
            _ => return Err(AppError::NotFound),
        };
        SeenBy::beside(&context)
            .note(word, context.head().seq)
            .await;
        Ok(reply::see(&to))
    };
    let result = result.await;
    answer_beside(&context, result)
}
