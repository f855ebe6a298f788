//! Words taken out of games for good: by whoever wrote them, or by the operator, in an event that says so.
//!
//! What is dropped are the contents of seals: texts and their salts. Numbers, votes, changes of rules and who did what when
//! stay, so that the log still holds together and the game still adds up.

use axum::extract::Path;
use axum::response::Response;

use crate::app::error::AppError;
use crate::app::reply;
use crate::requests::forget::{drop_pictures, is_mine, withhold};
use crate::requests::forms::{SentBeside, answer_beside};
use crate::requests::send;
use crate::ui::urls;
use crate::view::events;
use crate::view::forgetting::texts;

/// `POST /g/{game}/log/{event}/forget`.
pub(crate) async fn submit(
    Path((_, word)): Path<(String, String)>,
    SentBeside { context, form }: SentBeside,
) -> Response {
    let result = async {
        let site = context.app();
        let event = events::numbered(site, context.game(), &word).await?;
        if !is_mine(context.me(), &event) {
            return withhold(&context, &event, form.key(), form.filled("reason")).await;
        }
        if context.pends(&event) {
            return Err(AppError::Forbidden(
                "People are voting on these words: they can be erased once the matter is closed.",
            ));
        }
        send::count_write(site, context.visitor()).await?;
        site.forget(context.game(), &texts(&event)).await?;
        drop_pictures(&context, &event, context.visitor().id()).await
    };
    let to = urls::Event {
        game: context.game().as_str(),
        event: &word,
    };
    match result.await {
        Ok(()) => reply::see_with(&to.into(), "The words are gone."),
        Err(error) => answer_beside(&context, Err(error)),
    }
}
