//! The log: a part of it, one event, and what happens from now on.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as Line, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use quorate_kernel::command::Act;
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, GameId, PlayerId};
use quorate_runtime::Notice;
use quorate_runtime::ports::AccountId;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::{self, Ask, Page, blocking};
use crate::api::caller::{Caller, account_of};
use crate::api::log;
use crate::api::log::EventData;
use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::state::AppState;
use crate::view::game::{GameContext, GameView};

/// How many events a page has where nothing is asked.
const EVENTS: usize = 50;

/// How many it has at most.
const EVENTS_MAX: usize = 200;

/// How many events are read at most to fill a page of a filtered log.
const READ_MAX: u64 = 3_000;

/// How many events are read at once.
const CHUNK: u64 = 100;

/// How many events of the past a stream tells at most before it goes on with what happens.
const MISSED_MAX: u64 = 1_000;

/// How often a silent stream says that it is still there.
const ALIVE_EVERY: Duration = Duration::from_secs(20);

/// Which part of the log.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LogQuery {
    /// Whose events alone: a player's address or number.
    who: Option<String>,
    /// Which kind alone.
    #[param(inline)]
    kind: Option<LogKind>,
    /// Only events before this one; the newest, where none is named.
    #[serde(default, deserialize_with = "asked::number")]
    #[param(minimum = 0, maximum = 9_223_372_036_854_775_807_i64)]
    before: Option<u64>,
    /// How many, up to 200.
    #[serde(default, deserialize_with = "asked::count::<EVENTS_MAX, _>")]
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

/// A kind of events.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogKind {
    /// Actions of the law, and answers.
    Acts,
    /// Posts and comments.
    Posts,
    /// Whatever had dice.
    Dice,
    /// Claims, disputes, undoing, repairs.
    Hand,
    /// What happened by itself.
    Itself,
}

impl LogKind {
    fn takes(self, event: &Event) -> bool {
        match self {
            Self::Acts => matches!(
                event.act,
                Act::Do { .. } | Act::Answer { .. } | Act::Abandon { .. } | Act::Decide { .. }
            ),
            Self::Posts => matches!(
                event.act,
                Act::Post(_)
                    | Act::EditPost { .. }
                    | Act::Recategorise { .. }
                    | Act::Withdraw { .. }
                    | Act::Comment { .. }
            ),
            Self::Dice => !event.tape.dice.is_empty(),
            Self::Hand => matches!(
                event.act,
                Act::Claim { .. } | Act::Dispute { .. } | Act::Undo { .. } | Act::Repair { .. }
            ),
            Self::Itself => matches!(
                event.act,
                Act::Due { .. } | Act::Downtime { .. } | Act::Sleep { .. }
            ),
        }
    }
}

/// The log of a game, newest first, as far as you may know it.
#[utoipa::path(get, path = "/games/{game}/events", tag = "log", operation_id = "events",
    params(("game" = String, Path, description = "The game's word."), LogQuery),
    responses((status = 200, description = "A part of the log.", body = Page<EventData>), Problem))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
    Ask(query): Ask<LogQuery>,
) -> Result<Json<Page<EventData>>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    let who = match &query.who {
        Some(word) => Some(player(word)?),
        None => None,
    };
    let most = query.limit.unwrap_or(EVENTS);
    let last = view.head().seq.0;
    let from = query.before.map_or(last, |seq| seq.saturating_sub(1));
    let (events, next) = read(&view, from.min(last), most, |event| {
        who.is_none_or(|who| view.doer(event) == Some(who))
            && query.kind.is_none_or(|kind| kind.takes(event))
    })
    .await?;
    let items = blocking(Arc::new(view), move |view| {
        Ok(events.iter().map(|event| log::event(view, event)).collect())
    });
    let items = items.await?;
    let next = next.map(|seq| seq.to_string());
    Ok(Json(Page { items, next }))
}

fn player(word: &str) -> Result<PlayerId, Problem> {
    let id = word.trim_start_matches("player:").parse();
    id.map_err(|error| Problem::bad("query.who", error))
}

/// Events from a number on backwards, and the number before which those that follow begin.
async fn read(
    view: &GameView,
    from: u64,
    most: usize,
    takes: impl Fn(&Event) -> bool,
) -> Result<(Vec<Event>, Option<u64>), Problem> {
    let mut found = Vec::new();
    let mut next = from;
    while next > 0 && from - next < READ_MAX {
        let low = next.saturating_sub(CHUNK) + 1;
        let seqs: Vec<EventSeq> = (low..=next).rev().map(EventSeq).collect();
        for event in view.app().events(view.game(), &seqs).await? {
            let seq = event.seq.0;
            if takes(&event) {
                found.push(event);
            }
            if found.len() == most {
                return Ok((found, (seq > 1).then_some(seq)));
            }
        }
        next = low - 1;
    }
    Ok((found, (next > 0).then_some(next + 1)))
}

/// One event, as far as you may know it.
#[utoipa::path(get, path = "/games/{game}/events/{seq}", tag = "log", operation_id = "event",
    params(("game" = String, Path, description = "The game's word."), ("seq" = u64, Path, description = "The event's number.")),
    responses((status = 200, description = "The event.", body = EventData), Problem))]
pub(crate) async fn one(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path((game, seq)): Path<(String, String)>,
) -> Result<Json<EventData>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    let event = find(&view, &seq).await?;
    let told = blocking(Arc::new(view), move |view| Ok(log::event(view, &event)));
    told.await.map(Json)
}

/// The event of a number.
pub(crate) async fn find(view: &GameView, word: &str) -> Result<Event, Problem> {
    let seq: u64 = word.parse().map_err(|_| AppError::NotFound)?;
    let known = (1..=view.head().seq.0).contains(&seq);
    let events = if known {
        view.app().events(view.game(), &[EventSeq(seq)]).await?
    } else {
        Vec::new()
    };
    let event = events.into_iter().next();
    event.ok_or_else(|| AppError::NotFound.into())
}

/// What happens from now on, as server-sent events: each `event` has an event of the log as its data, as far as you may
/// know it, and its number as its id. Whoever comes back with `Last-Event-ID` is told first what they missed.
#[utoipa::path(get, path = "/games/{game}/stream", tag = "log", operation_id = "stream",
    params(("game" = String, Path, description = "The game's word."),
        ("Last-Event-ID" = Option<u64>, Header, description = "The last event that you know.")),
    responses((status = 200, description = "A stream without end.", body = String, content_type = "text/event-stream"), Problem))]
pub(crate) async fn stream(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = GameContext::at(&site, &caller.visitor, &game).await?;
    let notices = site.deps.games.subscribe(found.game());
    // Looked at again after subscribing, so that nothing falls between.
    let found = GameContext::at(&site, &caller.visitor, &game).await?;
    let head = found.head().seq.0;
    let known = headers.get("last-event-id");
    let known = known.and_then(|id| id.to_str().ok()?.parse::<u64>().ok());
    let told = known
        .unwrap_or(head)
        .clamp(head.saturating_sub(MISSED_MAX), head);
    let follower = Follower {
        site,
        caller,
        game,
        notices,
        told,
        head,
    };
    let lines = stream::unfold(follower, |mut follower| async move {
        let line = follower.next().await?;
        Some((Ok::<_, Infallible>(line), follower))
    });
    let alive = KeepAlive::new().interval(ALIVE_EVERY);
    Ok(Sse::new(lines).keep_alive(alive).into_response())
}

/// An event as an account or a stranger may see it, as a stream tells it.
#[derive(Serialize, Deserialize)]
pub(crate) struct ToldEvent {
    game: GameId,
    account: Option<AccountId>,
    seq: EventSeq,
}

impl Inquiry for ToldEvent {
    type Answer = String;
    const WORD: &'static str = "event";

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<String, AppError> {
        let view = GameView::for_account(site, self.account, self.game.as_str()).await?;
        let found = site.events(&self.game, &[self.seq]).await?;
        let event = found.into_iter().next().ok_or(AppError::NotFound)?;
        let telling = move || serde_json::to_string(&log::event(&view, &event));
        let told = tokio::task::spawn_blocking(telling).await?;
        told.map_err(|why| AppError::Broken(why.to_string()))
    }
}

/// Somebody who is told what happens.
struct Follower {
    site: Arc<AppState>,
    caller: Caller,
    game: String,
    notices: Receiver<Notice>,
    /// The last event that was told.
    told: u64,
    /// The last one that there is, as far as is known.
    head: u64,
}

impl Follower {
    /// The next event as a line of the stream; none where the stream ends: the server closes, or the token no longer counts.
    async fn next(&mut self) -> Option<Line> {
        while self.head <= self.told {
            match self.notices.recv().await {
                Ok(notice) => self.head = notice.seq.0,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
        if let Some(token) = &self.caller.token {
            let (account, _) = account_of(&self.site, token).await.ok()?;
            self.caller.visitor.account = Some(account);
        }
        let seq = self.told + 1;
        let text = self.text(seq).await.ok()?;
        self.told = seq;
        let line = Line::default().event("event").id(seq.to_string());
        Some(line.data(&*text))
    }

    /// An event as its reader may see it. Whoever may see the same is told with the same words, which are made once.
    async fn text(&self, seq: u64) -> Result<Arc<str>, Problem> {
        let context = GameContext::at(&self.site, &self.caller.visitor, &self.game).await?;
        let key = Digest::of_parts([
            context.game().as_str().as_bytes(),
            &context.head().hash.0,
            &seq.to_le_bytes(),
            format!("{:?} {}", context.me(), self.caller.visitor.is_operator()).as_bytes(),
        ]);
        let asked = ToldEvent {
            game: context.game().clone(),
            account: self.caller.visitor.id(),
            seq: EventSeq(seq),
        };
        let asking = async { ask(&self.site, asked).await.map(Arc::<str>::from) };
        Ok(self.site.told.get_or_insert_async(&key, asking).await?)
    }
}
