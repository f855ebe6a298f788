//! Requests that are answered in a worker: all for which rule code runs that somebody may have written to do harm.
//!
//! A worker is a site of its own over distant ports, so a page is made there as it is made here. What is handed over is the
//! request, and what comes back is the answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use quorate_kernel::{GameId, Span};
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{Job, JobFailed, JobSort, TokenScope};
use serde::{Deserialize, Serialize};
use tower::ServiceExt;

use crate::api::asked;
use crate::api::caller::Caller;
use crate::api::problem::Problem;
use crate::app::error::AppError;
use crate::app::form_words::{FormWords, GivenWords};
use crate::app::inquiry::{WireJob, WireWork};
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::routes::inquiries;
use crate::security::rate::Who;

/// The largest body of a request, in bytes: a post of 256 KiB with its flavour text, and the rules that it changes.
pub(super) const BODY_BYTES: usize = 2 * 1024 * 1024;

/// The longest answer of a worker, in bytes.
const ANSWER_BYTES: usize = 64 << 20;

/// How long a page may take whose law does nothing out of the common.
const PAGE: Duration = Duration::from_secs(1);

/// Where the API begins.
const API: &str = "/api/";

/// Of how many thousandths of its time a worker knows, so that what can be told in part is told before it is killed.
const OWN_TIME: i64 = 800;

/// A request on its way.
#[derive(Serialize, Deserialize)]
struct WireRequest {
    method: String,
    target: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    from: Option<SocketAddr>,
    words: FormWords,
}

/// An answer on its way.
#[derive(Serialize, Deserialize)]
struct WireResponse {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

/// How much an answer takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WorkSort {
    /// A page: what rules compute of values, who may do what.
    Page,
    /// A command as it was typed, and a page or an answer that says what came of it. The game judges it elsewhere, and the time
    /// that takes is its own.
    Command,
    /// A page with what its proposal would do in short.
    Report,
    /// A preview, a draft, a forecast.
    Preview,
    /// Tests of rules.
    Tests,
}

impl WorkSort {
    /// What a request takes that must not be answered here; none for all others.
    fn of(method: &Method, path: &str) -> Option<Self> {
        let is_read = *method == Method::GET || *method == Method::HEAD;
        let (game, rest) = path.split_once("/{game}")?;
        match (game, rest) {
            ("/g", "/stream" | "/uploads/{word}" | "/post/{post}/picture/{word}") => None,
            ("/g", "/post/{post}/effects/tests") => Some(Self::Tests),
            ("/g", "/post/{post}/effects" | "/post/{post}/ruling") => Some(Self::Preview),
            ("/g", "/new/{category}" | "/post/{post}/edit" | "/act/{action}/trial")
                if *method == Method::POST =>
            {
                Some(Self::Preview)
            }
            ("/g", "/post/{post}") if is_read => Some(Self::Report),
            // What no route knows, however it is asked for, is told in the game's surroundings.
            ("/g", NOWHERE) => Some(Self::Page),
            ("/g", _) if is_read => Some(Self::Page),
            ("/g", "/join" | "/post/{post}/comment" | "/post/{post}/withdraw" | "/messages") => {
                Some(Self::Command)
            }
            ("/g", "/act/{action}" | "/answer/{question}" | "/roll" | "/page/{page}") => {
                Some(Self::Command)
            }
            ("/g", "/claim" | "/log/{event}/undo" | "/log/{event}/dispute") => Some(Self::Command),
            ("/api/v1/games", "/preview" | "/why") if *method == Method::POST => {
                Some(Self::Preview)
            }
            // A whole game, and whether it is on the site, are the server's own.
            ("/api/v1/games", "/stream" | "/verify" | "/export" | "/put-back") => None,
            ("/api/v1/games", _) if is_read => Some(Self::Page),
            ("/api/v1/games", _) if *method == Method::POST => Some(Self::Command),
            _ => None,
        }
    }

    fn job(self) -> JobSort {
        match self {
            Self::Page | Self::Report => JobSort::Page,
            Self::Command => JobSort::Command,
            Self::Preview | Self::Tests => JobSort::Heavy,
        }
    }

    fn time(self, site: &AppState) -> Duration {
        let config = &site.deps.config;
        let span = match self {
            Self::Page | Self::Command => return PAGE,
            Self::Report | Self::Preview => config.report,
            Self::Tests => config.tests,
        };
        Duration::from_millis(u64::try_from(span.0).unwrap_or(0))
    }
}

/// What a worker is told before its first job.
#[derive(Serialize, Deserialize)]
struct Setup {
    config: crate::ServerConfig,
    forms: [u8; 32],
}

/// What workers of a site are told before their first job.
///
/// # Errors
/// Fails where it cannot be written as bytes, which is a bug.
pub fn setup(
    config: &crate::ServerConfig,
    secret: &quorate_runtime::ports::ServerSecret,
) -> postcard::Result<Vec<u8>> {
    let part = |span: Span| Span(span.0 * OWN_TIME / 1_000);
    let mut config = config.clone();
    (config.report, config.tests) = (part(config.report), part(config.tests));
    postcard::to_stdvec(&Setup {
        config,
        forms: secret.of_forms(),
    })
}

/// How a worker's site is run, and what its forms' tokens follow from.
///
/// # Errors
/// Fails where the bytes are no setup.
pub fn read_setup(
    bytes: &[u8],
) -> postcard::Result<(crate::ServerConfig, quorate_runtime::ports::ServerSecret)> {
    let setup: Setup = postcard::from_bytes(bytes)?;
    let secret = quorate_runtime::ports::ServerSecret::of_forms_alone(setup.forms);
    Ok((setup.config, secret))
}

/// A layer: hands a request to a worker if it takes rule code and the site has workers.
pub(super) async fn hand_over(
    State(site): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>();
    // What no route knows keeps the surroundings of its game.
    let path = path.map_or_else(|| nowhere_in(request.uri().path()), MatchedPath::as_str);
    let effort = WorkSort::of(request.method(), path);
    let (Some(workers), Some(effort)) = (site.deps.workers.clone(), effort) else {
        return next.run(request).await;
    };
    let (mut parts, body) = request.into_parts();
    let visitor = match visitor(&mut parts, &site).await {
        Ok(visitor) => visitor,
        Err(response) => return response,
    };
    if effort == WorkSort::Command && visitor.id().is_none() && is_api(&parts) {
        // Whoever may send nothing is told so before anything of theirs is read.
        return next.run(Request::from_parts(parts, body)).await;
    }
    let who = visitor.who();
    if effort.job() == JobSort::Heavy
        && parts.method == Method::POST
        && let Err(often) = site.checks.take(who.clone(), site.now_ms())
    {
        return failed(&site, &visitor, &parts, often.into());
    }
    let Ok(body) = to_bytes(body, body_bytes(&parts)).await else {
        return too_large(&site, &visitor, &parts);
    };
    let effort = if effort == WorkSort::Preview && asks_for_tests(&body) {
        WorkSort::Tests
    } else {
        effort
    };
    let job = Job {
        who: match who {
            Who::Address(address) => address.to_string(),
            Who::Account(account) => format!("account {account}"),
        },
        game: game_of(&parts),
        account: visitor.id(),
        is_repair: effort == WorkSort::Command && repairs(&visitor, &body),
        time: effort.time(&site),
        sort: effort.job(),
        is_in_force: matches!(effort, WorkSort::Page | WorkSort::Command),
        request: match wire_request(&site, &parts, &body, &visitor.words) {
            Ok(request) => request,
            Err(error) => return failed(&site, &visitor, &parts, broken(&error)),
        },
    };
    drop(body);
    let made = match workers.run(job).await {
        Ok(made) => made,
        // What was sent may have been kept before the words for it took too long.
        Err(JobFailed::TimeOver(_) | JobFailed::Ended) if effort == WorkSort::Command => {
            let interrupted = OperatingError::Interrupted.into();
            return failed(&site, &visitor, &parts, interrupted);
        }
        Err(why) => return failed(&site, &visitor, &parts, why.into()),
    };
    come(&made).unwrap_or_else(|| failed(&site, &visitor, &parts, JobFailed::Ended.into()))
}

/// What stands behind the game in an address that no route knows.
const NOWHERE: &str = "/";

/// An address that no route knows, as one of a game's where it begins so.
fn nowhere_in(path: &str) -> &'static str {
    if path.starts_with("/g/") {
        "/g/{game}/"
    } else {
        ""
    }
}

/// Whether a draft asks for its tests to be run, which takes longer. Whoever says so in vain has longer, and no more.
fn asks_for_tests(body: &[u8]) -> bool {
    let says = |word: &[u8]| has(body, word);
    says(b"do=tests") || says(b"name=\"do\"\r\n\r\ntests") || says(b"\"tests\"")
}

/// Whether somebody who runs the server, and says so with all that it takes, repairs a game.
fn repairs(visitor: &Visitor, body: &[u8]) -> bool {
    let may = visitor.is_operator() && visitor.grant.check(TokenScope::Admin).is_ok();
    may && has(body, b"\"repair\"")
}

fn has(body: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(body, word).is_some()
}

fn broken(error: &postcard::Error) -> AppError {
    AppError::Broken(error.to_string())
}

/// Who asks: by a session, or by a token of the API.
async fn visitor(parts: &mut Parts, site: &Arc<AppState>) -> Result<Visitor, Response> {
    if is_api(parts) {
        let caller = Caller::from_request_parts(parts, site).await;
        return caller
            .map(|caller| caller.visitor)
            .map_err(IntoResponse::into_response);
    }
    let visitor = Visitor::from_request_parts(parts, site).await;
    visitor.map_err(IntoResponse::into_response)
}

/// How much may be sent there.
fn body_bytes(parts: &Parts) -> usize {
    if is_api(parts) {
        asked::BODY_BYTES
    } else {
        BODY_BYTES
    }
}

/// Whether a program asks, and not a reader.
pub(super) fn is_api(parts: &Parts) -> bool {
    parts.uri.path().starts_with(API)
}

/// Why there is no answer, as a page or as the API says it.
fn failed(site: &AppState, visitor: &Visitor, parts: &Parts, error: AppError) -> Response {
    if is_api(parts) {
        return Problem::from(error).into_response();
    }
    reply::failed(site, visitor, None, error)
}

/// A body that is longer than any form.
fn too_large(site: &AppState, visitor: &Visitor, parts: &Parts) -> Response {
    if is_api(parts) {
        return Problem::too_large(body_bytes(parts)).into_response();
    }
    let why = format!("A form holds at most {} KiB.", BODY_BYTES / 1024);
    let mut response = reply::failed(site, visitor, None, AppError::Form(why));
    *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    response
}

/// The game that an address names.
fn game_of(parts: &Parts) -> Option<GameId> {
    let mut words = parts.uri.path().split('/').skip(1);
    let game = match words.next()? {
        "g" => words.next()?,
        _ => words.nth(2)?,
    };
    game.parse().ok()
}

fn wire_request(
    site: &AppState,
    parts: &Parts,
    body: &[u8],
    words: &FormWords,
) -> postcard::Result<Vec<u8>> {
    let headers = parts.headers.iter();
    let from = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    let request = postcard::to_stdvec(&WireRequest {
        method: parts.method.to_string(),
        target: parts.uri.to_string(),
        headers: headers
            .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
            .collect(),
        body: body.to_vec(),
        from: from.map(|ConnectInfo(from)| *from),
        words: words.clone(),
    })?;
    WireJob::bytes(site, WireWork::Request(request))
}

/// An answer as it came from a worker, if it is one.
fn come(made: &[u8]) -> Option<Response> {
    let made: WireResponse = postcard::from_bytes(made).ok()?;
    let mut response = Response::new(Body::from(made.body));
    *response.status_mut() = StatusCode::from_u16(made.status).ok()?;
    for (name, value) in made.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        response
            .headers_mut()
            .append(name, HeaderValue::from_bytes(&value).ok()?);
    }
    Some(response)
}

/// A worker's side: does what was handed over.
///
/// # Errors
/// Fails where the bytes are nothing that a worker does, or the answer no bytes.
pub async fn answer(
    site: &Arc<AppState>,
    router: &Router,
    job: &[u8],
) -> postcard::Result<Vec<u8>> {
    let WireJob { off, work } = postcard::from_bytes(job)?;
    site.deps.clock.hear(off);
    match work {
        WireWork::Request(request) => answer_request(router, &request).await,
        WireWork::Inquiry(word, asks) => inquiries::answered(site, &word, &asks).await,
    }
}

async fn answer_request(router: &Router, request: &[u8]) -> postcard::Result<Vec<u8>> {
    let asked: WireRequest = postcard::from_bytes(request)?;
    let mut request = Request::builder()
        .method(asked.method.as_str())
        .uri(asked.target);
    for (name, value) in asked.headers {
        // The server presses the answer, in the way that the reader takes.
        if name != header::ACCEPT_ENCODING.as_str() {
            request = request.header(name, value);
        }
    }
    let request = request.body(Body::from(asked.body));
    let response = match request {
        Ok(mut request) => {
            request.extensions_mut().insert(GivenWords(asked.words));
            if let Some(from) = asked.from {
                request.extensions_mut().insert(ConnectInfo(from));
            }
            let Ok(response) = router.clone().oneshot(request).await;
            response
        }
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    };
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, ANSWER_BYTES)
        .await
        .unwrap_or_else(|_| Bytes::new());
    let headers = parts.headers.iter();
    postcard::to_stdvec(&WireResponse {
        status: parts.status.as_u16(),
        headers: headers
            .filter(|(name, _)| **name != header::CONTENT_LENGTH)
            .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
            .collect(),
        body: body.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_strangers_code_is_handed_over_and_what_reads_the_log_is_not() {
        let of = |method: Method, path: &str| WorkSort::of(&method, path);
        let preview = of(Method::POST, "/api/v1/games/{game}/preview");
        assert_eq!(preview, Some(WorkSort::Preview));
        assert_eq!(of(Method::GET, "/g/{game}/tracker"), Some(WorkSort::Page));
        assert_eq!(of(Method::GET, "/g/{game}"), Some(WorkSort::Page));
        assert_eq!(
            of(Method::GET, "/g/{game}/post/{post}"),
            Some(WorkSort::Report)
        );
        let tests = of(Method::GET, "/g/{game}/post/{post}/effects/tests");
        assert_eq!(tests, Some(WorkSort::Tests));
        for path in [
            "/",
            "/sign-in",
            "/g/{game}/stream",
            "/api/v1/games/{game}/export",
        ] {
            assert_eq!(of(Method::GET, path), None, "{path}");
        }
        let nowhere = of(Method::GET, nowhere_in("/g/reef/nothing/here"));
        assert_eq!(nowhere, Some(WorkSort::Page));
        let sent = of(Method::POST, nowhere_in("/g/reef/nothing/here"));
        assert_eq!(sent, Some(WorkSort::Page));
        assert_eq!(of(Method::GET, nowhere_in("/nothing")), None);
        let act = of(Method::POST, "/g/{game}/act/{action}");
        assert_eq!(act, Some(WorkSort::Command));
        let acts = of(Method::POST, "/api/v1/games/{game}/acts");
        assert_eq!(acts, Some(WorkSort::Command));
        let own = [
            (Method::DELETE, ""),
            (Method::POST, "/put-back"),
            // Whatever it asks, no route takes it.
            (Method::TRACE, "/events"),
        ];
        for (method, rest) in own {
            let path = format!("/api/v1/games/{{game}}{rest}");
            assert_eq!(of(method, &path), None, "{path}");
        }
        let trial = of(Method::POST, "/g/{game}/act/{action}/trial");
        assert_eq!(trial, Some(WorkSort::Preview));
    }

    #[test]
    fn bytes_that_are_no_answer_are_none() {
        assert!(come(b"nonsense").is_none());
        let wrong = WireResponse {
            status: 99,
            headers: Vec::new(),
            body: Vec::new(),
        };
        assert!(come(&postcard::to_stdvec(&wrong).unwrap()).is_none());
    }
}
