//! Forms as handlers take them: the body read and its token checked before anything else happens.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Multipart, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::look::Look;
use super::reply;
use super::site::Site;
use super::trouble::Trouble;
use super::visitor::Visitor;
use crate::posted::Posted;

/// A form with who sent it.
pub struct Sent {
    /// Who.
    pub visitor: Visitor,
    /// What.
    pub form: Posted,
}

impl FromRequest<Arc<Site>> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, site)
            .await
            .map_err(IntoResponse::into_response)?;
        let request = Request::from_parts(parts, body);
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
        match read {
            Ok(form) => Ok(Self { visitor, form }),
            Err(why) => Err(reply::failed(site, &visitor, None, Trouble::from(why))),
        }
    }
}

/// Makes an answer of what a handler of a page came to.
pub fn answer(site: &Arc<Site>, visitor: &Visitor, result: Result<Response, Trouble>) -> Response {
    result.unwrap_or_else(|trouble| reply::failed(site, visitor, None, trouble))
}

/// The same within a game, so that an error keeps the game's surroundings.
pub fn answer_in(look: &Look, result: Result<Response, Trouble>) -> Response {
    result.unwrap_or_else(|trouble| {
        let around = look.chrome(trouble.title(), super::look::people::Part::Elsewhere);
        reply::failed(&look.site, &look.visitor, Some(around), trouble)
    })
}

/// Runs what makes a page away from the threads that serve requests: the law may take its time.
pub async fn drawn(
    look: Look,
    draw: impl FnOnce(&Look) -> Result<Response, Trouble> + Send + 'static,
) -> Response {
    let (site, visitor) = (Arc::clone(&look.site), look.visitor.clone());
    let made = tokio::task::spawn_blocking(move || {
        let result = draw(&look);
        answer_in(&look, result)
    });
    made.await
        .unwrap_or_else(|error| reply::failed(&site, &visitor, None, error.into()))
}

/// Looks at a game and draws a page of it.
pub async fn game_page(
    site: Arc<Site>,
    visitor: Visitor,
    game: &str,
    draw: impl FnOnce(&Look) -> Result<Response, Trouble> + Send + 'static,
) -> Response {
    match Look::at(&site, &visitor, game).await {
        Ok(look) => drawn(look, draw).await,
        Err(trouble) => reply::failed(&site, &visitor, None, trouble),
    }
}

/// The page of a look, as a response.
pub fn page(look: &Look, page: &impl askama::Template) -> Response {
    reply::page(&look.site, &look.visitor, StatusCode::OK, page)
}

/// The page that was sent, once more with why it was not taken.
pub fn once_more(look: &Look, page: &impl askama::Template) -> Response {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    reply::page(&look.site, &look.visitor, status, page)
}
