//! Pages of games that are kept for whoever asks for the same within some seconds: drawn once, pressed once.
//!
//! A page follows from the game's log, from its reader and from the moment. What belongs to one session alone, the tokens and
//! the keys of its forms, is laid in anew for each answer, into the page as it was pressed.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quorate_kernel::digest::Digest;

use crate::app::form_words::GivenWords;
use crate::app::pages::{KeptPage, Pages};
use crate::app::press::Coding;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::site::tracker::columns;
use crate::view::game::GameContext;

/// The longest page that is kept, in bytes.
const LONGEST: usize = 1 << 20;

/// What a page is kept under. It travels from the outer layer to the inner one.
#[derive(Clone, Copy)]
struct WantedPage(Digest);

/// A page as it was drawn. It travels from the inner layer to the outer one.
#[derive(Clone)]
struct DrawnPage(Arc<KeptPage>);

/// The outer layer, around what presses answers: gives a kept page as it was pressed, and keeps what can be given so.
pub(super) async fn pressed(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    if !may_be_kept(&request) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let visitor = match Visitor::wordless(&parts, &site).await {
        Ok(visitor) => visitor,
        Err(error) => return error.into_response(),
    };
    site.pages.drop_old(site.now());
    let wanted = wanted(&site, &visitor, &parts).await;
    let key = wanted.map(|wanted| pressed_key(wanted, &parts.headers));
    let kept = key.and_then(|key| site.pages.get(&key));
    if let Some(page) = kept.as_ref().filter(|page| !page.is_personal()) {
        return given(&site, &visitor, page, &parts.headers);
    }
    let visitor = match visitor.with_words(&site) {
        Ok(visitor) => visitor,
        Err(error) => return error.into_response(),
    };
    if let Some(page) = kept {
        return given(&site, &visitor, &page, &parts.headers);
    }
    parts.extensions.insert(visitor.clone());
    let Some((wanted, key)) = wanted.zip(key) else {
        return next.run(Request::from_parts(parts, body)).await;
    };
    parts.extensions.insert(WantedPage(wanted));
    let asked = parts.headers.clone();
    let response = next.run(Request::from_parts(parts, body)).await;
    let Some(DrawnPage(drawn)) = response.extensions().get().cloned() else {
        return response;
    };
    let page = if drawn.is_personal() {
        personal(&drawn, response)
    } else {
        shared(&drawn, response, &asked).await
    };
    let page = match page {
        Ok(page) => Arc::new(page),
        Err(response) => return response,
    };
    site.pages.insert(key, Arc::clone(&page));
    given(&site, &visitor, &page, &asked)
}

/// A page of one account's own as it goes out, with places for the words of a session; the answer where it is pressed in a
/// way that has no such places.
fn personal(drawn: &Arc<KeptPage>, response: Response) -> Result<KeptPage, Response> {
    let headers = lasting(response.headers());
    let page = match headers.get(header::CONTENT_ENCODING) {
        None => Some(drawn.under(headers)),
        Some(coding) => Coding::named(coding).and_then(|coding| drawn.pressed(coding, headers)),
    };
    page.ok_or(response)
}

/// A page that is the same for many, as it was pressed for one of them.
async fn shared(
    drawn: &KeptPage,
    response: Response,
    asked: &HeaderMap,
) -> Result<KeptPage, Response> {
    let (head, body) = response.into_parts();
    let Ok(body) = to_bytes(body, LONGEST).await else {
        return Err(StatusCode::INTERNAL_SERVER_ERROR.into_response());
    };
    let mut headers = lasting(&head.headers);
    let tag = pressed_key(Digest::of(&drawn.body), asked).to_string();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", tag.get(..32).unwrap_or(&tag))) {
        headers.insert(header::ETAG, tag);
    }
    Ok(KeptPage::new(head.status, headers, body))
}

/// The inner layer, around what draws pages: gives a kept page with what is the reader's own laid in.
pub(super) async fn drawn(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let extensions = request.extensions();
    let (Some(&WantedPage(wanted)), Some(visitor)) =
        (extensions.get(), extensions.get::<Visitor>())
    else {
        return next.run(request).await;
    };
    let visitor = visitor.clone();
    if let Some(page) = site.pages.get(&wanted) {
        return laid_in(&site, &visitor, &page);
    }
    let response = next.run(request).await;
    if !is_page(&response, &visitor) {
        return response;
    }
    let (head, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    if body.len() > LONGEST {
        return Response::from_parts(head, Body::from(body));
    }
    let mut page = KeptPage::new(head.status, lasting(&head.headers), body);
    page.find(&visitor.words);
    let page = Arc::new(page);
    // What is somebody's own goes out in one coding and is kept in that one alone.
    if visitor.account.is_none() {
        site.pages.insert(wanted, Arc::clone(&page));
    }
    laid_in(&site, &visitor, &page)
}

/// Whether an address may lead to a page that is kept: one of a game, read by its reader and not by a worker.
fn may_be_kept(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    let rest = path.and_then(|path| path.as_str().strip_prefix("/g/{game}"));
    *request.method() == Method::GET
        && request.extensions().get::<GivenWords>().is_none()
        && rest.is_some_and(|rest| {
            rest != "/stream" && !rest.contains("/picture/") && !rest.starts_with("/uploads/")
        })
}

/// Everything that a page follows from; none where there is no such game.
async fn wanted(site: &Arc<AppState>, visitor: &Visitor, parts: &Parts) -> Option<Digest> {
    let game = parts.uri.path().split('/').nth(2)?;
    let context = GameContext::at(site, visitor, game).await.ok()?;
    let reader = visitor.account.as_ref();
    let (columns, sort) = (
        columns::kept(&parts.headers),
        columns::kept_sort(&parts.headers),
    );
    let parts = format!(
        "{} {columns:?} {sort:?} {:?} {:?} {:?} {:?} {:?} {} {} {:?} {}",
        parts.uri,
        context.head(),
        reader.map(|account| (account.id, &account.name, account.operator)),
        reader.map(|account| site.draft_turn(account.id)),
        visitor.notice,
        context.me(),
        context.read().digest(),
        visitor.has_keys,
        visitor.theme,
        Pages::turn_of(context.now()),
    );
    Some(Digest::of(parts.as_bytes()))
}

/// The same for the codings that a reader takes.
fn pressed_key(wanted: Digest, headers: &HeaderMap) -> Digest {
    let mut parts = wanted.0.to_vec();
    for coding in headers.get_all(header::ACCEPT_ENCODING) {
        parts.extend_from_slice(coding.as_bytes());
        parts.push(b',');
    }
    parts.push(b'.');
    Digest::of(&parts)
}

/// Whether an answer is a whole text that others may be given: no mistake of the server, and no cookies but those that each
/// answer gets that is given.
fn is_page(response: &Response, visitor: &Visitor) -> bool {
    let status = response.status();
    let headers = response.headers();
    let kind = headers.get(header::CONTENT_TYPE);
    let is_text = kind.is_some_and(|kind| {
        kind.as_bytes().starts_with(b"text/") && !kind.as_bytes().starts_with(b"text/event-stream")
    });
    let is_settled = status == StatusCode::OK
        || status == StatusCode::UNAUTHORIZED
        || status == StatusCode::FORBIDDEN;
    let cookies = usize::from(visitor.is_new) + usize::from(visitor.notice.is_some());
    is_settled && is_text && headers.get_all(header::SET_COOKIE).iter().count() <= cookies
}

/// The headers that are the same for everybody.
fn lasting(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for one in [header::SET_COOKIE, header::CONTENT_LENGTH, header::DATE] {
        headers.remove(one);
    }
    headers
}

fn laid_in(site: &AppState, visitor: &Visitor, page: &Arc<KeptPage>) -> Response {
    let mut response = of(page, page.with(&visitor.words));
    let drawn = DrawnPage(Arc::clone(page));
    response.extensions_mut().insert(drawn);
    reply::finished(site, visitor, response)
}

/// A kept page for a reader, or word that theirs is the same.
fn given(site: &AppState, visitor: &Visitor, page: &KeptPage, asked: &HeaderMap) -> Response {
    let known = asked.get(header::IF_NONE_MATCH);
    let response = match (known, page.headers.get(header::ETAG)) {
        (Some(known), Some(tag)) if names(known, tag) => {
            let mut response = of(page, Bytes::new());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        }
        _ => of(page, page.with(&visitor.words)),
    };
    reply::finished(site, visitor, response)
}

/// Whether a list of tags has one of them; a proxy may have marked it as weak.
fn names(known: &HeaderValue, tag: &HeaderValue) -> bool {
    let tags = known.as_bytes().split(|byte| *byte == b',');
    tags.map(<[u8]>::trim_ascii)
        .any(|one| one.strip_prefix(b"W/").unwrap_or(one) == tag.as_bytes())
}

fn of(page: &KeptPage, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = page.status;
    *response.headers_mut() = page.headers.clone();
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_in_a_list_and_where_it_is_marked_as_weak() {
        let tag = HeaderValue::from_static("\"abc\"");
        for list in ["\"abc\"", "W/\"abc\"", "\"x\", W/\"abc\""] {
            assert!(names(&HeaderValue::from_static(list), &tag), "{list}");
        }
        assert!(!names(&HeaderValue::from_static("\"ab\", abc"), &tag));
    }

    #[test]
    fn who_takes_other_codings_gets_another_copy() {
        let headers = |coding: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(coding));
            headers
        };
        let page = Digest::of(b"a page");
        let plain = pressed_key(page, &HeaderMap::new());
        assert_ne!(pressed_key(page, &headers("br")), plain);
        assert_ne!(
            pressed_key(page, &headers("br")),
            pressed_key(page, &headers("gzip"))
        );
    }
}
