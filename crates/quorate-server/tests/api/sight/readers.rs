//! Those who read: with a browser's cookie on the pages, with a token on the API.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use futures_util::StreamExt;
use quorate_server::security::session::SessionToken;

use super::world::{APPLICANT, Ball, NEIGHBOUR, OPERATOR, OUTSIDER, PLAYERS, SUSPENDED, everybody};

/// Somebody who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Nobody in particular.
    Stranger,
    /// An account that plays nowhere.
    Outsider,
    /// Dan.
    Player,
    /// Ed.
    Idle,
    /// Anna.
    Admin,
    /// Fay.
    Emperor,
    /// The one who runs the server and does not play.
    Operator,
    /// Ivo, who waits to be let in.
    Applicant,
    /// Jan, an admin of another game.
    Neighbour,
    /// Kay, a player whose account is suspended.
    Suspended,
    /// Bert, whose the secrets are.
    Keeper,
}

/// Everybody who must not know the secrets.
pub(crate) const OTHERS: [Role; 10] = [
    Role::Stranger,
    Role::Outsider,
    Role::Player,
    Role::Idle,
    Role::Admin,
    Role::Emperor,
    Role::Operator,
    Role::Applicant,
    Role::Neighbour,
    Role::Suspended,
];

/// What somebody got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// Somebody at a ball.
pub(crate) struct Reader<'a> {
    ball: &'a Ball,
    pub(crate) role: Role,
    session: SessionToken,
    token: Option<String>,
}

impl Role {
    /// The account of whoever reads, if they have one.
    pub(crate) fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Stranger => return None,
            Self::Outsider => OUTSIDER,
            Self::Player => PLAYERS[3],
            Self::Idle => PLAYERS[4],
            Self::Admin => PLAYERS[0],
            Self::Emperor => PLAYERS[5],
            Self::Operator => OPERATOR,
            Self::Applicant => APPLICANT,
            Self::Neighbour => NEIGHBOUR,
            Self::Suspended => SUSPENDED,
            Self::Keeper => PLAYERS[1],
        })
    }
}

impl<'a> Reader<'a> {
    /// Somebody, signed in where they have an account.
    pub(crate) async fn of(ball: &'a Ball, role: Role) -> Self {
        let Some(name) = role.name() else {
            return Self {
                ball,
                role,
                // A browser that was here before carries a session of nobody.
                session: SessionToken::fresh().unwrap(),
                token: None,
            };
        };
        let at = everybody().position(|one| one == name);
        Self {
            ball,
            role,
            session: ball.table.session(name).await,
            token: at.map(|at| ball.tokens[at].clone()),
        }
    }

    /// Asks for an address.
    pub(crate) async fn get(&self, path: &str) -> Got {
        self.ask(Request::get(path), Body::empty()).await
    }

    /// Sends a form with such a token of forms.
    pub(crate) async fn post(&self, path: &str, form: &str, csrf: Option<&str>) -> Got {
        let body = match csrf {
            Some(csrf) => format!("csrf={csrf}&{form}"),
            None => form.to_owned(),
        };
        let kind = "application/x-www-form-urlencoded";
        let request = Request::post(path).header(header::CONTENT_TYPE, kind);
        self.ask(request, Body::from(body)).await
    }

    /// Sends JSON.
    pub(crate) async fn send(&self, path: &str, body: &str) -> Got {
        let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
        self.ask(request, Body::from(body.to_owned())).await
    }

    /// Asks that something be taken away.
    pub(crate) async fn delete(&self, path: &str) -> Got {
        self.ask(Request::delete(path), Body::empty()).await
    }

    /// A token for the reader's own forms.
    pub(crate) fn csrf(&self) -> String {
        self.ball.table.site().csrf.issue(&self.session).unwrap()
    }

    async fn ask(&self, request: axum::http::request::Builder, body: Body) -> Got {
        let mut request = request.header(header::HOST, "quorate.example");
        // Everybody comes from a house of their own: limits by address are not what is looked at.
        let house = SocketAddr::from(([127, 0, 1, self.role as u8], 443));
        request = request.extension(ConnectInfo(house));
        let is_api = request
            .uri_ref()
            .is_some_and(|uri| uri.path().starts_with("/api/"));
        if let (true, Some(token)) = (is_api, &self.token) {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if !is_api {
            let cookie = self.ball.table.cookie(&self.session);
            request = request.header(header::COOKIE, cookie);
        }
        let is_stream = request
            .uri_ref()
            .is_some_and(|uri| uri.path().ends_with("/stream"));
        if is_stream {
            request = request.header("last-event-id", "0");
        }
        let response = self.ball.table.send(request.body(body).unwrap()).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut pieces = response.into_body().into_data_stream();
        let mut bytes = Vec::new();
        // A game that was taken away has no newest event.
        let head = if is_stream { self.ball.head().await } else { 0 };
        let last = format!("id: {head}\n");
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece.unwrap());
            // A stream goes on for ever: it is read until it has told the newest event.
            let told = String::from_utf8_lossy(&bytes);
            if is_stream && told.contains(&last) && told.ends_with("\n\n") {
                break;
            }
        }
        Got {
            status,
            headers,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}
