//! Forms as handlers take them: the body read and its token checked before anything else happens.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Multipart, Query, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::{Link, urls};
use crate::view::game::{GameContext, GameView};

/// A form with who sent it.
pub struct Sent {
    /// Who.
    pub visitor: Visitor,
    /// What.
    pub form: Posted,
}

impl FromRequest<Arc<AppState>> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<AppState>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, site)
            .await
            .map_err(IntoResponse::into_response)?;
        let form = read(Request::from_parts(parts, body), site, &visitor).await?;
        Ok(Self { visitor, form })
    }
}

/// Reads a form, with files or without, once its token is found to be the visitor's.
async fn read(
    request: Request,
    site: &Arc<AppState>,
    visitor: &Visitor,
) -> Result<Posted, Response> {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let in_parts = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/"));
    let read = if in_parts {
        let parts = Multipart::from_request(request, site)
            .await
            .map_err(IntoResponse::into_response)?;
        Posted::read_parts(parts, &site.csrf, &visitor.token).await
    } else {
        let bytes = Bytes::from_request(request, site)
            .await
            .map_err(IntoResponse::into_response)?;
        Posted::read(&bytes, &site.csrf, &visitor.token)
    };
    read.map_err(|why| reply::failed(site, visitor, None, AppError::from(why)))
}

/// The game that the path names as `{game}`, as whoever asks sees it now.
pub struct Opened(pub GameView);

impl FromRequestParts<Arc<AppState>> for Opened {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<AppState>) -> Result<Self, Response> {
        let (visitor, game) = asked(parts, site).await?;
        let view = GameView::at(site, &visitor, &game).await;
        view.map(Self)
            .map_err(|error| reply::failed(site, &visitor, None, error))
    }
}

/// The same as it was at the moment that `?at=` names, a day or an event's number; as it is now where nothing is named.
pub struct OpenedThen(pub GameView);

impl FromRequestParts<Arc<AppState>> for OpenedThen {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<AppState>) -> Result<Self, Response> {
        let (visitor, game) = asked(parts, site).await?;
        let query = Query::<BTreeMap<String, String>>::from_request_parts(parts, site);
        let Query(query) = query.await.map_err(IntoResponse::into_response)?;
        let at = query.get("at").map(String::as_str);
        let view = GameView::then(site, &visitor, &game, at).await;
        view.map(Self)
            .map_err(|error| reply::failed(site, &visitor, None, error))
    }
}

/// Who asks, and the game that the path names.
async fn asked(parts: &mut Parts, site: &Arc<AppState>) -> Result<(Visitor, String), Response> {
    let visitor = Visitor::from_request_parts(parts, site)
        .await
        .map_err(IntoResponse::into_response)?;
    let params = RawPathParams::from_request_parts(parts, site)
        .await
        .map_err(IntoResponse::into_response)?;
    let named = params.iter().find(|(name, _)| *name == "game");
    let game = named.map_or_else(String::new, |(_, game)| game.to_owned());
    Ok((visitor, game))
}

/// A form that was sent to the game that the path names.
pub struct SentIn {
    /// The game, as whoever sent the form sees it.
    pub view: Arc<GameView>,
    /// What was sent.
    pub form: Posted,
}

impl FromRequest<Arc<AppState>> for SentIn {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<AppState>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let (visitor, game) = asked(&mut parts, site).await?;
        let form = read(Request::from_parts(parts, body), site, &visitor).await?;
        match GameView::at(site, &visitor, &game).await {
            Ok(view) => Ok(Self {
                view: Arc::new(view),
                form,
            }),
            Err(error) => Err(reply::failed(site, &visitor, None, error)),
        }
    }
}

/// A form that was sent to the game that the path names and writes beside its log. Nothing is made of the game's law for it.
pub struct SentBeside {
    /// The game and who sent the form.
    pub context: GameContext,
    /// What was sent.
    pub form: Posted,
}

impl FromRequest<Arc<AppState>> for SentBeside {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<AppState>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let (visitor, game) = asked(&mut parts, site).await?;
        let form = read(Request::from_parts(parts, body), site, &visitor).await?;
        match GameContext::at(site, &visitor, &game).await {
            Ok(context) => Ok(Self { context, form }),
            Err(error) => Err(reply::failed(site, &visitor, None, error)),
        }
    }
}

/// Makes an answer of what a handler came to that writes beside a game's log.
pub fn answer_beside(context: &GameContext, result: Result<Response, AppError>) -> Response {
    result.unwrap_or_else(|error| {
        let game = urls::Game {
            game: context.game().as_str(),
        };
        let back = Link::new(context.title(), game);
        reply::failed_beside(context.app(), context.visitor(), back, error)
    })
}

/// Makes an answer of what a handler of a page came to.
pub fn answer(
    site: &Arc<AppState>,
    visitor: &Visitor,
    result: Result<Response, AppError>,
) -> Response {
    result.unwrap_or_else(|error| reply::failed(site, visitor, None, error))
}

/// The same within a game, so that an error keeps the game's surroundings.
pub fn answer_in(view: &GameView, result: Result<Response, AppError>) -> Response {
    result.unwrap_or_else(|error| {
        let around = view.chrome(error.title(), crate::view::people::Part::Elsewhere);
        reply::failed(view.app(), view.visitor(), Some(around), error)
    })
}

/// Runs what makes a page away from the threads that serve requests: the law may take its time.
pub async fn drawn(
    view: GameView,
    draw: impl FnOnce(&GameView) -> Result<Response, AppError> + Send + 'static,
) -> Response {
    let (site, visitor) = (Arc::clone(view.app()), view.visitor().clone());
    let made = tokio::task::spawn_blocking(move || {
        let result = draw(&view);
        answer_in(&view, result)
    });
    made.await
        .unwrap_or_else(|error| reply::failed(&site, &visitor, None, error.into()))
}

/// The page of a view, as a response.
pub fn page(view: &GameView, page: &impl askama::Template) -> Response {
    reply::page(view.app(), view.visitor(), StatusCode::OK, page)
}

/// The page that was sent, once more with why it was not taken.
pub fn once_more(view: &GameView, page: &impl askama::Template) -> Response {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    reply::page(view.app(), view.visitor(), status, page)
}
