//! Readers have seen what is new: noted as they open a post, and when they say so of everything, the rules or the values.

use axum::extract::Path;
use axum::response::Response;

use crate::app::error::AppError;
use crate::app::reply;
use crate::requests::forms::{SentIn, answer_in};
use crate::requests::seen::SeenBy;
use crate::requests::send;
use crate::ui::urls::{self, Href};
use crate::view::fresh;

/// `POST /g/{game}/seen/{what}`: the reader has seen all posts, the rules or the values as they are now.
pub(crate) async fn take(
    Path((_, what)): Path<(String, String)>,
    SentIn { look, form: _ }: SentIn,
) -> Response {
    let result = async {
        send::player(&look)?;
        let game = look.game().as_str();
        let (word, to): (&str, Href) = match what.as_str() {
            "posts" => (fresh::ALL, urls::Game { game }.into()),
            "rules" => (fresh::RULES, urls::Ruleset { game }.into()),
            "values" => (fresh::VALUES, urls::Tracker { game }.into()),
            _ => return Err(AppError::NotFound),
        };
        SeenBy::of(&look).note(word, look.head().seq).await;
        Ok(reply::see(&to))
    };
    let result = result.await;
    answer_in(&look, result)
}
