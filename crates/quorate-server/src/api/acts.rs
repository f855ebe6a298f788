//! Doing: every command, under its sender's key, through the one place that authorises.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use quorate_engine::request::CommandRequest;
use quorate_kernel::Thing;
use quorate_kernel::command::{Act, Actor};
use quorate_kernel::event::{Event, Outcome};
use quorate_kernel::state::Effect;
use quorate_runtime::Receipt;
use serde::Serialize;
use serde_json::{Map, Value as AnyJson, json};
use utoipa::ToSchema;

use crate::api::asked::{Body, Key, blocking};
use crate::api::bodies::{
    AnswerBody, ApplicationBody, CommentBody, DiceBody, MessageBody, PostBody,
};
use crate::api::caller::Signed;
use crate::api::log::EventData;
use crate::api::moves::QuestionData;
use crate::api::problem::Problem;
use crate::api::{commands, log, moves};
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::{newcomer, send};
use crate::view::game::GameView;
use crate::view::posts;

/// Something was done, and is on disk.
#[derive(Serialize, ToSchema)]
pub(crate) struct Done {
    /// The event that it became.
    event: EventData,
    /// The post that it made.
    post: Option<String>,
    /// The question that it waits for, where it does. Answer it, and the action goes on with the dice that fell.
    question: Option<QuestionData>,
    /// Whom you play from now on.
    you: Option<String>,
    /// Whether this is the receipt of a command that was sent before under the same key.
    replayed: bool,
}

/// Takes an action of the law, or does a built-in act: `post`, `edit`, `withdraw`, `recategorise`, `comment`, `vote`,
/// `message`, `apply-to-join`, `leave`, `answer`, `abandon`, `dice`, `claim`, `dispute`, `undo`, `wake`, and for operators
/// `repair`.
#[utoipa::path(post, path = "/games/{game}/acts", tag = "play", operation_id = "act", request_body = CommandRequest,
    params(("game" = String, Path, description = "The game's word."),
        ("Idempotency-Key" = Option<String>, Header, description = "Your own word for this command: sent again, it counts once.")),
    responses((status = 201, description = "It is done, or waits for an answer.", body = Done),
        (status = 200, description = "It was done before, under the same key.", body = Done), Problem), security(("token" = [])))]
pub(crate) async fn act(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Key(key): Key,
    Path(game): Path<String>,
    Body(request): Body<CommandRequest>,
) -> Result<Response, Problem> {
    done(&site, &visitor, &game, key, request).await
}

/// A request whose body stands for the arguments of one act.
macro_rules! of_act {
    ($(#[$doc:meta])* $name:ident, $path:literal, $id:literal, $tag:literal, $body:ty, $action:literal) => {
        $(#[$doc])*
        #[utoipa::path(post, path = $path, tag = $tag, operation_id = $id, request_body = $body,
            params(("game" = String, Path, description = "The game's word."),
                ("Idempotency-Key" = Option<String>, Header,
                    description = "Your own word for this command: sent again, it counts once.")),
            responses((status = 201, description = "It is done, or waits for an answer.", body = Done),
                (status = 200, description = "It was done before, under the same key.", body = Done), Problem),
            security(("token" = [])))]
        pub(crate) async fn $name(
            State(site): State<Arc<AppState>>,
            Signed(visitor): Signed,
            Key(key): Key,
            Path(game): Path<String>,
            Body(arguments): Body<Map<String, AnyJson>>,
        ) -> Result<Response, Problem> {
            let request = request($action, arguments);
            done(&site, &visitor, &game, key, request).await
        }
    };
}

of_act! {
    /// Posts, with the changes that the post carries.
    post, "/games/{game}/posts", "make_post", "blog", PostBody, "post"
}

of_act! {
    /// Asks to join a game. Those who run it let newcomers in; how is for its rules to say.
    join, "/games/{game}/join", "join", "play", ApplicationBody, "apply-to-join"
}

of_act! {
    /// Answers a question of an action of yours, or one that somebody's action left to you.
    answer, "/games/{game}/answers", "answer", "play", AnswerBody, "answer"
}

of_act! {
    /// Rolls on the tracker's comment line.
    dice, "/games/{game}/dice", "dice", "tracker", DiceBody, "dice"
}

of_act! {
    /// Sends a private message.
    message, "/games/{game}/messages", "send_message", "play", MessageBody, "message"
}

/// Comments on a post, and votes on it.
#[utoipa::path(post, path = "/games/{game}/posts/{post}/comments", tag = "blog", operation_id = "comment",
    request_body = CommentBody,
    params(("game" = String, Path, description = "The game's word."), ("post" = String, Path, description = "The post's id."),
        ("Idempotency-Key" = Option<String>, Header, description = "Your own word for this command: sent again, it counts once.")),
    responses((status = 201, description = "It stands there.", body = Done),
        (status = 200, description = "It was done before, under the same key.", body = Done), Problem), security(("token" = [])))]
pub(crate) async fn comment(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Key(key): Key,
    Path((game, post)): Path<(String, String)>,
    Body(mut arguments): Body<Map<String, AnyJson>>,
) -> Result<Response, Problem> {
    if arguments.insert("post".to_owned(), json!(post)).is_some() {
        return Err(Problem::bad(
            "arguments.post",
            "the address names the post already",
        ));
    }
    let view = GameView::at(&site, &visitor, &game).await?;
    // A post in an address that is not there is an address that is not there.
    posts::post_id(&view, post.trim_start_matches("post:"))?;
    done(&site, &visitor, &game, key, request("comment", arguments)).await
}

fn request(action: &str, arguments: Map<String, AnyJson>) -> CommandRequest {
    CommandRequest {
        action: action.to_owned(),
        arguments: arguments.into(),
    }
}

async fn done(
    site: &Arc<AppState>,
    visitor: &Visitor,
    game: &str,
    key: Option<String>,
    request: CommandRequest,
) -> Result<Response, Problem> {
    let view = Arc::new(GameView::at(site, visitor, game).await?);
    let key = key.as_deref();
    if let Some(key) = key
        && let Some(receipt) = earlier(&view, key).await?
    {
        return again(&view, &receipt, &request).await;
    }
    let past = commands::past(&view, &request).await?;
    let act = commands::act(&view, request, past).await?;
    match sent(&view, key, act).await {
        Ok(receipt) => answer_to(site, visitor, &receipt, game, false).await,
        Err(AppError::Refused(refusal)) => {
            let word = key.unwrap_or(&visitor.words.word);
            let event = earlier(&view, word).await?.map(|receipt| receipt.seq.0);
            Err(Problem::refused(&view, &refusal, event))
        }
        Err(error) => Err(error.into()),
    }
}

/// The receipt of a command of the same account that came under the same key.
async fn earlier(view: &GameView, key: &str) -> Result<Option<Receipt>, Problem> {
    let mut actors = Vec::new();
    if let Some(me) = view.me() {
        actors.push((Actor::Player(me), key.into()));
    }
    if let Some(account) = view.visitor().id() {
        actors.push((Actor::Newcomer, account.own_key(key)));
    }
    if view.visitor().is_operator() {
        actors.push((Actor::Operator, key.into()));
    }
    for (actor, key) in actors {
        let games = &view.app().deps.games;
        if let Some(receipt) = games.receipt(view.game(), actor, &key).await? {
            return Ok(Some(receipt));
        }
    }
    Ok(None)
}

/// The answer to a command that came before, if it is the same one.
async fn again(
    view: &Arc<GameView>,
    receipt: &Receipt,
    request: &CommandRequest,
) -> Result<Response, Problem> {
    let events = view.app().events(view.game(), &[receipt.seq]).await?;
    let mut events = events.iter();
    let Some(event) = events.find(|event| is_of(event, &request.action)) else {
        return Err(Problem::key_used(receipt.seq.0));
    };
    if let Some(refusal) = event.refusal() {
        return Err(Problem::refused(view, refusal, Some(receipt.seq.0)));
    }
    let (site, visitor) = (view.app(), view.visitor());
    answer_to(site, visitor, receipt, view.game().as_str(), true).await
}

/// Whether an event is of a command of that name.
fn is_of(event: &Event, action: &str) -> bool {
    match &event.act {
        Act::Do { action: name, .. } => *name == action,
        Act::Answer { .. } | Act::Decide { .. } => action == "answer",
        Act::Abandon { .. } => action == "abandon",
        Act::Post(_) => action == "post",
        Act::Comment { .. } => matches!(action, "comment" | "vote"),
        Act::Dice { .. } => matches!(action, "dice" | "roll"),
        act => act.name() == action,
    }
}

/// Sends a command as whoever may send such.
async fn sent(view: &GameView, key: Option<&str>, act: Act) -> Result<Receipt, AppError> {
    match act {
        Act::Apply { name, text } => newcomer::asked(view, key, name.as_str(), text.as_str()).await,
        Act::Repair { .. } if !view.visitor().is_operator() => Err(AppError::Forbidden(
            "Only an operator of this server can repair a game.",
        )),
        Act::Repair { .. } => {
            let (site, visitor) = (view.app(), view.visitor());
            send::send_as_operator(site, visitor, view.game(), key, act).await
        }
        act => send::send(view, key, act).await,
    }
}

/// What came of a command, as its sender sees the game now.
async fn answer_to(
    site: &Arc<AppState>,
    visitor: &Visitor,
    receipt: &Receipt,
    game: &str,
    replayed: bool,
) -> Result<Response, Problem> {
    let view = Arc::new(GameView::at(site, visitor, game).await?);
    let events = site.events(view.game(), &[receipt.seq]).await?;
    let event = events.into_iter().next().ok_or(AppError::NotFound)?;
    let waits = matches!(receipt.outcome, Outcome::Opened(_));
    let done = blocking(view, move |view| Ok(outcome(view, &event, waits, replayed))).await?;
    let location = format!("/api/v1/games/{game}/events/{}", receipt.seq);
    let status = if replayed {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    Ok((status, [(header::LOCATION, location)], Json(done)).into_response())
}

fn outcome(view: &GameView, event: &Event, waits: bool, replayed: bool) -> Done {
    let made = event.steps.iter().find_map(|step| match &step.effect {
        Effect::Post { key, old: None, .. } => Some(key.to_string()),
        _ => None,
    });
    let questions = match view.me() {
        Some(_) if waits => view.ask(|asked| moves::questions(view, asked)),
        _ => Vec::new(),
    };
    let own = format!("open:{}", event.act.name());
    Done {
        event: log::event(view, event),
        post: made,
        question: questions.into_iter().find(|one| one.is(&own)),
        you: view.me().map(|me| Thing::Player(me).to_string()),
        replayed,
    }
}
