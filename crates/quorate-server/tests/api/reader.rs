//! A browser with a session, as far as the site can tell.

use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use quorate_server::security::session::SessionToken;

use crate::Game;

/// A page or a file.
pub(crate) struct Got {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Got {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Whether it is in such a coding.
    pub(crate) fn is_coded(&self, coding: &str) -> bool {
        self.headers
            .get(header::CONTENT_ENCODING)
            .is_some_and(|one| one == coding)
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }
}

/// Sends what a browser with that session sends.
pub(crate) async fn ask(game: &Game, session: &SessionToken, request: Request<Body>) -> Got {
    let (mut parts, body) = request.into_parts();
    let cookie = game.table.cookie(session);
    parts
        .headers
        .insert(header::COOKIE, cookie.parse().unwrap());
    let host = std::net::SocketAddr::from(([127, 0, 0, 1], 4_000));
    parts.extensions.insert(ConnectInfo(host));
    let response = game.table.send(Request::from_parts(parts, body)).await;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), 1 << 22)
        .await
        .unwrap()
        .to_vec();
    Got {
        status,
        headers,
        body,
    }
}

/// Opens an address.
pub(crate) async fn get(game: &Game, session: &SessionToken, path: &str) -> Got {
    ask(
        game,
        session,
        Request::get(path).body(Body::empty()).unwrap(),
    )
    .await
}
