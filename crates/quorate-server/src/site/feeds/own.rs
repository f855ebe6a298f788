//! What waits for somebody, as a feed and as a calendar, at an address that only they know.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::{GameId, Moment};
use quorate_notices::feed::{CalendarEntry, FeedEntry, FeedPage, calendar};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::{ChannelAudience, ChannelSort};
use quorate_runtime::ports::AccountId;
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::notice_words::{self, WordFor};
use crate::app::reply::site_address;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::feeds::game::FeedForm;
use crate::ui::urls;
use crate::ui::urls::Href;
use crate::view::game::GameView;
use crate::view::needs::needs;
use crate::view::notice_texts::NoticeAsked;
use crate::view::waiting;

/// `GET /feeds/{word}/{form}`: `needs.atom`, `needs.json`, `calendar.ics`.
pub async fn show(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path((word, form)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let base = site_address(&site, &headers);
    let result = shown(&site, &word, &form, base).await;
    crate::requests::forms::answer(&site, &visitor, result)
}

async fn shown(
    site: &Arc<AppState>,
    word: &str,
    form: &str,
    base: String,
) -> Result<Response, AppError> {
    let (account, games) = games(site, word).await?;
    let here: Href = urls::OwnFeed { word, form }.into();
    let own = format!("{base}{}", here.as_str());
    let now = site.now();
    let mut answer = match form.split_once('.') {
        Some(("needs", ending)) => {
            let form = FeedForm::of(ending).ok_or(AppError::NotFound)?;
            form.answer(&needed(site, account, games, (base, own)).await)
        }
        Some(("calendar", "ics")) => {
            let entries = dates(site, account, games, &base).await;
            let text = calendar("What waits for you", now, &entries);
            let kind = [(header::CONTENT_TYPE, "text/calendar; charset=utf-8")];
            (kind, text).into_response()
        }
        _ => return Err(AppError::NotFound),
    };
    // It is one person's own, and its address is its key.
    let headers = answer.headers_mut();
    headers.insert(
        header::CACHE_CONTROL,
        header::HeaderValue::from_static("private, no-cache"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        header::HeaderValue::from_static("no-referrer"),
    );
    Ok(answer)
}

/// To whom a word belongs, and the games that it is about.
async fn games(site: &Arc<AppState>, word: &str) -> Result<(AccountId, Vec<GameId>), AppError> {
    let Some(WordFor::Feed(id)) = notice_words::read(site, word) else {
        return Err(AppError::NotFound);
    };
    let outbox = site.deps.outbox.as_ref().ok_or(AppError::NotFound)?;
    let channel = outbox
        .channel(id)
        .await
        .map_err(quorate_runtime::OperatingError::from)?;
    let channel =
        channel.filter(|channel| channel.sort == ChannelSort::Feed && channel.paused.is_none());
    let channel = channel.ok_or(AppError::NotFound)?;
    let accounts = &site.deps.accounts;
    let account = accounts
        .account(channel.account)
        .await?
        .ok_or(AppError::NotFound)?;
    let seats = site.seats_of(account.id).await?.into_iter();
    let games = seats.map(|seat| seat.game);
    let is_wanted = |game: &GameId| match &channel.audience {
        ChannelAudience::Own(Some(one), _) => one == game,
        ChannelAudience::Own(None, _) => true,
        ChannelAudience::Room(..) => false,
    };
    Ok((account.id, games.filter(is_wanted).collect()))
}

/// What waits for somebody in one game.
#[derive(Serialize, Deserialize)]
pub(crate) struct NeedsAsked {
    game: GameId,
    account: AccountId,
    base: String,
}

impl Inquiry for NeedsAsked {
    type Answer = (Moment, Vec<FeedEntry>);
    const WORD: &'static str = "needs";

    fn game(&self) -> &GameId {
        &self.game
    }

    fn account(&self) -> Option<AccountId> {
        Some(self.account)
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Self::Answer, AppError> {
        let view = GameView::for_account(site, Some(self.account), self.game.as_str()).await?;
        let asking = move || (view.head().at, needs_entries(&view, &self.base));
        Ok(tokio::task::spawn_blocking(asking).await?)
    }
}

/// What somebody's calendar has of one game.
#[derive(Serialize, Deserialize)]
pub(crate) struct DatesAsked {
    game: GameId,
    account: AccountId,
    base: String,
}

impl Inquiry for DatesAsked {
    type Answer = Vec<CalendarEntry>;
    const WORD: &'static str = "dates";

    fn game(&self) -> &GameId {
        &self.game
    }

    fn account(&self) -> Option<AccountId> {
        Some(self.account)
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<Self::Answer, AppError> {
        let view = GameView::for_account(site, Some(self.account), self.game.as_str()).await?;
        let asking = move || dates_entries(&view, &self.base);
        Ok(tokio::task::spawn_blocking(asking).await?)
    }
}

/// What each game tells. One that cannot be asked takes no other along.
async fn of_each<I: Inquiry>(
    site: &Arc<AppState>,
    games: Vec<GameId>,
    asked: impl Fn(GameId) -> I,
) -> Vec<I::Answer> {
    let mut told = Vec::new();
    for game in games {
        match ask(site, asked(game.clone())).await {
            Ok(answer) => told.push(answer),
            Err(error) => {
                tracing::warn!(%game, error = %error.what(), "a game is not in somebody's feed");
            }
        }
    }
    told
}

/// What waits for somebody, as a feed.
async fn needed(
    site: &Arc<AppState>,
    account: AccountId,
    games: Vec<GameId>,
    (base, own): (String, String),
) -> FeedPage {
    let asked = |game| NeedsAsked {
        game,
        account,
        base: base.clone(),
    };
    let told = of_each(site, games, asked).await;
    FeedPage {
        title: "What waits for you".to_owned(),
        front: format!("{base}{}", Href::from(urls::Home).as_str()),
        own,
        updated: told.iter().map(|(at, _)| *at).max().unwrap_or(site.now()),
        entries: told.into_iter().flat_map(|(_, entries)| entries).collect(),
    }
}

/// What somebody's calendar has.
async fn dates(
    site: &Arc<AppState>,
    account: AccountId,
    games: Vec<GameId>,
    base: &str,
) -> Vec<CalendarEntry> {
    let asked = |game| DatesAsked {
        game,
        account,
        base: base.to_owned(),
    };
    of_each(site, games, asked).await.concat()
}

/// What waits for somebody in one game. An entry's name stays while it waits for the same thing.
fn needs_entries(view: &GameView, base: &str) -> Vec<FeedEntry> {
    let lines = needs(view).lines.into_iter();
    let entries = lines.map(|line| {
        let link = format!("{base}{}", line.href.as_str());
        let words = format!("{link} {} {}", line.title, line.note);
        let due = line
            .due
            .map_or_else(String::new, |due| format!(", until {}", due.full()));
        FeedEntry {
            id: format!("{link}#{}", &blake3::hash(words.as_bytes()).to_hex()[..16]),
            title: format!("{}: {}", view.title(), line.title),
            link,
            author: view.title(),
            category: view.game().to_string(),
            at: view.head().at,
            changed_at: view.head().at,
            html: crate::ui::html::escape(&format!("{}{due}", line.note)).to_string(),
        }
    });
    entries.collect()
}

/// Deadlines of questions, moments from which the reader may close a matter, Turns and what else the tracker has a time for,
/// and when the game rests.
fn dates_entries(view: &GameView, base: &str) -> Vec<CalendarEntry> {
    let game = view.game().as_str();
    let questions = view.deadlines().into_iter().filter_map(|(topic, at)| {
        let asked = NoticeAsked {
            kind: NoticeKind::Question,
            topic: &topic,
            event: None,
        };
        let text = view.notice(asked, base)?;
        Some(CalendarEntry {
            id: format!("{topic}@{game}"),
            title: format!("{}: {}", view.title(), text.heading),
            about: format!("{}\n\n{}", text.body, text.reason),
            link: text.link,
            from: at,
            to: None,
        })
    });
    let (_, mut later) = waiting::closable_by(view);
    later.sort_unstable();
    later.dedup();
    let desk: Href = urls::Desk { game }.into();
    let closings = later.into_iter().map(|at| CalendarEntry {
        id: format!("closing-{}@{game}", at.0),
        title: format!("{}: a matter may be ripe to be closed", view.title()),
        about: String::new(),
        link: format!("{base}{}", desk.as_str()),
        from: at,
        to: None,
    });
    let tracker: Href = urls::Tracker { game }.into();
    let moments = view
        .moments_ahead()
        .into_iter()
        .map(|(what, at)| CalendarEntry {
            id: format!("{}-{}@{game}", calendar_word(&what), at.0),
            title: format!("{}: {what}", view.title()),
            about: String::new(),
            link: format!("{base}{}", tracker.as_str()),
            from: at,
            to: None,
        });
    let front: Href = urls::Game { game }.into();
    let rests = view
        .downtimes()
        .into_iter()
        .map(|(from, to)| CalendarEntry {
            id: format!("downtime-{}@{game}", from.0),
            title: format!("{}: downtime", view.title()),
            about: String::new(),
            link: format!("{base}{}", front.as_str()),
            from,
            to: Some(to),
        });
    questions
        .chain(closings)
        .chain(moments)
        .chain(rests)
        .collect()
}

/// A title as part of a name that stays.
fn calendar_word(title: &str) -> String {
    title
        .split_whitespace()
        .collect::<Vec<_>>()
        .join("-")
        .to_lowercase()
}
