//! What waits for somebody, as a feed and as a calendar, at an address that only they know.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use quorate_kernel::Moment;
use quorate_notices::feed::{CalendarEntry, FeedEntry, FeedPage, calendar};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::{ChannelAudience, ChannelSort};

use crate::app::error::AppError;
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
    crate::app::forms::answer(&site, &visitor, result)
}

async fn shown(
    site: &Arc<AppState>,
    word: &str,
    form: &str,
    base: String,
) -> Result<Response, AppError> {
    let looks = looks(site, word).await?;
    let here: Href = urls::OwnFeed { word, form }.into();
    let own = format!("{base}{}", here.as_str());
    let now = site.now();
    let written = match form.split_once('.') {
        Some(("needs", ending)) => {
            let form = FeedForm::of(ending).ok_or(AppError::NotFound)?;
            tokio::task::spawn_blocking(move || form.answer(&needed(&looks, &base, own, now)))
        }
        Some(("calendar", "ics")) => tokio::task::spawn_blocking(move || {
            let entries: Vec<_> = looks.iter().flat_map(|look| dates(look, &base)).collect();
            let text = calendar("What waits for you", now, &entries);
            (
                [(header::CONTENT_TYPE, "text/calendar; charset=utf-8")],
                text,
            )
                .into_response()
        }),
        _ => return Err(AppError::NotFound),
    };
    let mut answer = written.await?;
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

/// The games of the one to whom a word belongs, as they see them.
async fn looks(site: &Arc<AppState>, word: &str) -> Result<Vec<GameView>, AppError> {
    let Some(WordFor::Feed(id)) = notice_words::read(site, word) else {
        return Err(AppError::NotFound);
    };
    let outbox = site.parts.outbox.as_ref().ok_or(AppError::NotFound)?;
    let channel = outbox
        .channel(id)
        .await
        .map_err(quorate_runtime::OperatingError::from)?;
    let channel =
        channel.filter(|channel| channel.sort == ChannelSort::Feed && channel.paused.is_none());
    let channel = channel.ok_or(AppError::NotFound)?;
    let accounts = &site.parts.accounts;
    let account = accounts
        .account(channel.account)
        .await?
        .ok_or(AppError::NotFound)?;
    let mut looks = Vec::new();
    for seat in accounts.seats_of(account.id).await? {
        let is_wanted = match &channel.audience {
            ChannelAudience::Own(Some(game), _) => *game == seat.game,
            ChannelAudience::Own(None, _) => true,
            ChannelAudience::Room(..) => false,
        };
        if is_wanted {
            let account = Some(account.clone());
            looks.push(GameView::for_account(site, account, seat.game.as_str()).await?);
        }
    }
    Ok(looks)
}

/// What waits for somebody. An entry's name stays while it waits for the same thing.
fn needed(looks: &[GameView], base: &str, own: String, now: Moment) -> FeedPage {
    let entries = looks.iter().flat_map(|look| {
        let lines = needs(look).lines.into_iter();
        lines.map(move |line| {
            let link = format!("{base}{}", line.href.as_str());
            let words = format!("{link} {} {}", line.title, line.note);
            let due = line
                .due
                .map_or_else(String::new, |due| format!(", until {}", due.full()));
            FeedEntry {
                id: format!("{link}#{}", &blake3::hash(words.as_bytes()).to_hex()[..16]),
                title: format!("{}: {}", look.title(), line.title),
                link,
                author: look.title(),
                category: look.game().to_string(),
                at: look.head().at,
                changed_at: look.head().at,
                html: crate::ui::markup::escape(&format!("{}{due}", line.note)).to_string(),
            }
        })
    });
    FeedPage {
        title: "What waits for you".to_owned(),
        front: format!("{base}{}", Href::from(urls::Home).as_str()),
        own,
        updated: looks.iter().map(|look| look.head().at).max().unwrap_or(now),
        entries: entries.collect(),
    }
}

/// Deadlines of questions, moments from which the reader may close a matter, Turns and what else the tracker has a time for,
/// and when the game rests.
fn dates(look: &GameView, base: &str) -> Vec<CalendarEntry> {
    let game = look.game().as_str();
    let questions = look.deadlines().into_iter().filter_map(|(topic, at)| {
        let asked = NoticeAsked {
            kind: NoticeKind::Question,
            topic: &topic,
            event: None,
        };
        let text = look.notice(asked, base)?;
        Some(CalendarEntry {
            id: format!("{topic}@{game}"),
            title: format!("{}: {}", look.title(), text.heading),
            about: format!("{}\n\n{}", text.body, text.reason),
            link: text.link,
            from: at,
            to: None,
        })
    });
    let (_, mut later) = waiting::closable_by(look);
    later.sort_unstable();
    later.dedup();
    let desk: Href = urls::Desk { game }.into();
    let closings = later.into_iter().map(|at| CalendarEntry {
        id: format!("closing-{}@{game}", at.0),
        title: format!("{}: a matter may be ripe to be closed", look.title()),
        about: String::new(),
        link: format!("{base}{}", desk.as_str()),
        from: at,
        to: None,
    });
    let tracker: Href = urls::Tracker { game }.into();
    let moments = look
        .moments_ahead()
        .into_iter()
        .map(|(what, at)| CalendarEntry {
            id: format!("{}-{}@{game}", calendar_word(&what), at.0),
            title: format!("{}: {what}", look.title()),
            about: String::new(),
            link: format!("{base}{}", tracker.as_str()),
            from: at,
            to: None,
        });
    let front: Href = urls::Game { game }.into();
    let rests = look
        .downtimes()
        .into_iter()
        .map(|(from, to)| CalendarEntry {
            id: format!("downtime-{}@{game}", from.0),
            title: format!("{}: downtime", look.title()),
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
