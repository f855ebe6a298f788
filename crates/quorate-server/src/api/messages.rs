//! Private messages: those that you wrote or were sent.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quorate_kernel::ids::MessageId;
use quorate_kernel::rows::Message;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::{self, Ask, Page};
use crate::api::caller::Signed;
use crate::api::data::{PlayerRef, moment};
use crate::api::problem::Problem;
use crate::app::state::AppState;
use crate::requests::send;
use crate::view::game::GameView;

/// How many messages a page has where nothing is asked.
const MESSAGES: usize = 50;

/// How many it has at most.
const MESSAGES_MAX: usize = 200;

/// A private message.
#[derive(Serialize, ToSchema)]
#[schema(as = Message)]
pub(crate) struct MessageData {
    /// Its id.
    id: String,
    /// Who wrote it; nothing where the game did.
    from: Option<PlayerRef>,
    /// To whom.
    to: Vec<PlayerRef>,
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// Its text.
    text: String,
    /// Whether you were sent it and have not opened its conversation on the site since. To read it here leaves that as it is.
    unread: bool,
}

/// Which messages.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MessagesQuery {
    /// Only those before this one.
    before: Option<String>,
    /// How many, up to 200.
    #[serde(default, deserialize_with = "asked::count::<MESSAGES_MAX, _>")]
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

/// The private messages that you wrote or were sent, newest first.
#[utoipa::path(get, path = "/games/{game}/messages", tag = "play", operation_id = "messages",
    params(("game" = String, Path, description = "The game's word."), MessagesQuery),
    responses((status = 200, description = "Messages.", body = Page<MessageData>), Problem), security(("token" = [])))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
    Ask(query): Ask<MessagesQuery>,
) -> Result<Json<Page<MessageData>>, Problem> {
    let view = GameView::at(&site, &visitor, &game).await?;
    send::player(&view)?;
    let before: Option<MessageId> = match &query.before {
        Some(word) => Some(word.parse().map_err(|e| Problem::bad("query.before", e))?),
        None => None,
    };
    let most = query.limit.unwrap_or(MESSAGES);
    let mut mine = view
        .messages()
        .rev()
        .filter(|(id, _)| before.is_none_or(|before| **id < before));
    let items: Vec<_> = mine
        .by_ref()
        .take(most)
        .map(|(id, one)| message(&view, *id, one))
        .collect();
    let next = mine.next().and(items.last().map(|last| last.id.clone()));
    Ok(Json(Page { items, next }))
}

fn message(view: &GameView, id: MessageId, message: &Message) -> MessageData {
    let who = |id| PlayerRef::of(view, id);
    MessageData {
        id: id.to_string(),
        from: message.from.map(who),
        to: message.to.iter().copied().map(who).collect(),
        at: moment(message.at),
        text: message.text.as_str().to_owned(),
        unread: view.has_unread(id, message),
    }
}
