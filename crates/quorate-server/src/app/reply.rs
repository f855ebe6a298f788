//! Answers: pages, ways on after a form, and pages of what went wrong.

use askama::Template;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

use crate::app::error::AppError;
use crate::app::notice;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::urls::Href;
use crate::ui::{Chrome, ErrorPage, Link, Reader, RefusalPage, When, urls};

/// How long a browser keeps a session, in seconds; how long it counts says [`crate::security::uses`].
pub const SESSION_SECONDS: u64 = 60 * 60 * 24 * 180;

/// A finished page.
pub fn page(
    site: &AppState,
    visitor: &Visitor,
    status: StatusCode,
    page: &impl Template,
) -> Response {
    match page.render() {
        Ok(html) => finished(site, visitor, (status, Html(html)).into_response()),
        Err(error) => AppError::from(error).into_response(),
    }
}

/// Adds what every page of a reader's own carries: never kept by others, the session, and the notice told once.
pub fn finished(site: &AppState, visitor: &Visitor, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-cache"),
    );
    if visitor.is_new {
        headers.append(
            header::SET_COOKIE,
            site.cookies.set(&visitor.token, SESSION_SECONDS),
        );
    }
    if visitor.notice.is_some() {
        let clear = HeaderValue::from_static("done=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
        headers.append(header::SET_COOKIE, clear);
    }
    response
}

/// On to another page after a form.
pub fn see(href: &Href) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(to) = HeaderValue::from_str(href.as_str()) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

/// On to another page, which tells what was done.
pub fn see_with(href: &Href, done: &str) -> Response {
    let mut response = see(href);
    if let Some(cookie) = notice::cookie(done) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// How addresses of the site begin, without a stroke at the end: as its operator says, else as the request was sent.
pub fn site_address(site: &AppState, headers: &HeaderMap) -> String {
    if let Some(address) = &site.deps.config.address {
        return address.clone();
    }
    let scheme = if site.deps.config.is_secure {
        "https"
    } else {
        "http"
    };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    format!("{scheme}://{}", host.unwrap_or("localhost"))
}

/// The surroundings of a page that belongs to no game.
pub fn chrome(site: &AppState, visitor: &Visitor, title: &str) -> Chrome {
    let now = timestamp(site.now());
    Chrome {
        title: title.to_owned(),
        theme: visitor.theme,
        has_keys: visitor.has_keys,
        now: When::new(now, now),
        reader: visitor.account.as_ref().map(|account| Reader {
            name: account.name.clone(),
            mail: None,
        }),
        game: None,
        notice: visitor.notice.clone(),
    }
}

/// A moment of the kernel as pages tell it.
pub fn timestamp(at: quorate_kernel::Moment) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

/// The page of what went wrong, in the surroundings of a game where there is one.
pub fn failed(
    site: &AppState,
    visitor: &Visitor,
    around: Option<Chrome>,
    error: AppError,
) -> Response {
    let game = around.as_ref().and_then(|chrome| chrome.game.as_ref());
    let back = game.map(|game| Link::new(game.name.clone(), game.href.clone()));
    failed_in(site, visitor, (around, back), error)
}

/// The same in the surroundings of no game, with the way back to one.
pub fn failed_beside(site: &AppState, visitor: &Visitor, back: Link, error: AppError) -> Response {
    failed_in(site, visitor, (None, Some(back)), error)
}

fn failed_in(
    site: &AppState,
    visitor: &Visitor,
    (around, back): (Option<Chrome>, Option<Link>),
    error: AppError,
) -> Response {
    let status = error.status();
    let mut ways = vec![Link::new("All games", urls::Home)];
    if matches!(error, AppError::SignIn) {
        ways = visitor.ways_in();
    }
    if let Some(back) = back {
        ways.insert(0, back);
    }
    let reference = status.is_server_error().then(|| {
        let name = visitor.words.word.get(..8).unwrap_or_default().to_owned();
        tracing::error!(reference = %name, error = %error.what(), "a request failed");
        name
    });
    let mut chrome = around.unwrap_or_else(|| chrome(site, visitor, error.title()));
    error.title().clone_into(&mut chrome.title);
    let shown = ErrorPage {
        chrome,
        title: error.title().to_owned(),
        what: error.told(),
        todo: error.todo().to_owned(),
        ways,
        reference,
    };
    let mut response = page(site, visitor, status, &shown);
    if let AppError::TooOften(often) = &error
        && let Ok(value) = HeaderValue::from_str(&often.retry_after_ms.div_ceil(1_000).to_string())
    {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

/// The page of a refusal, with what was typed, so that it is not lost.
pub fn refused(
    site: &AppState,
    visitor: &Visitor,
    chrome: Chrome,
    refusal: crate::ui::Refusal,
    typed: Option<String>,
    back: Link,
) -> Response {
    let mut chrome = chrome;
    "The rules say no".clone_into(&mut chrome.title);
    let answer = RefusalPage {
        chrome,
        refusal,
        typed,
        back,
    };
    page(site, visitor, StatusCode::CONFLICT, &answer)
}
